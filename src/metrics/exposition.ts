type MetricFamily = { head: Map<string, string>; samples: string[] }

/**
 * Turns the histograms of an exposition, except those named, into summaries: only count and sum remain. Most of what
 * Temporal's SDK publishes is buckets that no alert reads.
 */
export function dropBuckets(text: string, withBuckets: readonly string[]): string {
  let dropped: string | undefined
  return text
    .split('\n')
    .flatMap(line => {
      const [, name, type] = /^# TYPE (\S+) (\S+)/.exec(line) ?? []
      if (name !== undefined) dropped = type === 'histogram' && !withBuckets.includes(name) ? name : undefined
      if (dropped === undefined) return [line]
      if (line === `# TYPE ${dropped} histogram`) return [`# TYPE ${dropped} summary`]
      return line.startsWith(`${dropped}_bucket{`) ? [] : [line]
    })
    .join('\n')
}

/**
 * Merges the metrics of several processes into one exposition. The format requires each family in one piece under one
 * HELP and one TYPE; the samples of different processes differ by their labels.
 */
export function mergeExpositions(texts: string[]): string {
  const families = new Map<string, MetricFamily>()
  const getFamily = (name: string) => {
    const family = families.get(name) ?? { head: new Map(), samples: [] }
    families.set(name, family)
    return family
  }
  for (const text of texts) {
    let family: MetricFamily | undefined
    for (const line of text.split('\n')) {
      const header = /^# (HELP|TYPE) (\S+)/.exec(line)
      if (header) {
        family = getFamily(header[2]!)
        if (!family.head.has(header[1]!)) family.head.set(header[1]!, line)
      } else if (line !== '' && !line.startsWith('#')) {
        family ??= getFamily(/^[^{\s]+/.exec(line)![0])
        family.samples.push(line)
      }
    }
  }
  const lines = [...families.values()].flatMap(({ head, samples }) => [...head.values(), ...samples])
  return lines.map(line => `${line}\n`).join('')
}
