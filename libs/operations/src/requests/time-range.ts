/** `from` and `to` of a query, as epoch ms; what is left out stays out. */
export function timeRange({ from, to }: { readonly from?: string | undefined; readonly to?: string | undefined }): {
  readonly from?: number;
  readonly to?: number;
} {
  return {
    ...(from === undefined ? {} : { from: Date.parse(from) }),
    ...(to === undefined ? {} : { to: Date.parse(to) }),
  };
}
