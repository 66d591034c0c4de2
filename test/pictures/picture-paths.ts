interface Listed {
  readonly items: readonly Readonly<Record<string, string>>[];
}

/** Paths within the console, by the name of the picture: each screen, with something in it to be looked at. */
export async function picturePaths(url: string, token: string): Promise<Readonly<Record<string, string>>> {
  const first = async (path: string): Promise<Readonly<Record<string, string>>> => {
    const answer = await fetch(`${url}/api/v1/${path}`, { headers: { authorization: `Bearer ${token}` } });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    const [item] = ((await answer.json()) as Listed).items;
    if (item === undefined) throw new Error(`the demo has nothing in ${path}`);
    return item;
  };
  const [unknown, refused, record] = await Promise.all([
    first('intents?status=unknown'),
    first('intents?status=parked&reason=rejected'),
    first('quarantine'),
  ]);
  return {
    now: '',
    intents: 'intents',
    intent: `intents/${encodeURIComponent(refused['id'] ?? '')}`,
    unknown: `intents/${encodeURIComponent(unknown['id'] ?? '')}`,
    member: `members/${unknown['program']}/${encodeURIComponent(unknown['memberId'] ?? '')}`,
    failures: 'failures',
    replay: 'replays/new?reason=rejected',
    quarantine: 'quarantine',
    record: `quarantine/${record['id']}`,
    producers: 'producers',
    pauses: 'pauses',
    audit: 'audit',
    settings: 'settings',
  };
}
