/** Sensors, money and devices: the console needs none, and whatever gets into its page has none. */
const refusedFeatures = [
  'accelerometer',
  'autoplay',
  'camera',
  'display-capture',
  'encrypted-media',
  'geolocation',
  'gyroscope',
  'hid',
  'magnetometer',
  'microphone',
  'midi',
  'payment',
  'publickey-credentials-get',
  'serial',
  'usb',
  'xr-spatial-tracking',
];

interface PolicyOptions {
  /** Of the identity provider that the page itself talks to; null: it talks to us only. */
  readonly issuer: string | null;
  /** Of this page's own style elements; null: there are none. */
  readonly nonce: string | null;
}

/** Nothing from anywhere else, no script in the page, no frame around it. */
function contentPolicy({ issuer, nonce }: PolicyOptions): string {
  const styles = nonce === null ? '' : ` 'nonce-${nonce}'`;
  const provider = issuer === null ? '' : ` ${new URL(issuer).origin}`;
  return [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self'${styles}`,
    `img-src 'self' data:`,
    `font-src 'self'`,
    `connect-src 'self'${provider}`,
    `base-uri 'self'`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');
}

/** Of the console's page and each of its files. */
export function consoleHeaders(options: PolicyOptions): Readonly<Record<string, string>> {
  return {
    'content-security-policy': contentPolicy(options),
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'permissions-policy': refusedFeatures.map((feature) => `${feature}=()`).join(', '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
}
