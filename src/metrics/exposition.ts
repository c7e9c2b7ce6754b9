type MetricFamily = { head: Map<string, string>; samples: string[] }

/**
 * The histograms of a text without their buckets, but for the named ones: as summaries, of which count and sum are left. Most
 * of what Temporal's SDK publishes is buckets that no alert reads.
 */
export function dropBuckets(text: string, kept: readonly string[]): string {
  let dropped: string | undefined
  return text
    .split('\n')
    .flatMap(line => {
      const [, name, type] = /^# TYPE (\S+) (\S+)/.exec(line) ?? []
      if (name !== undefined) dropped = type === 'histogram' && !kept.includes(name) ? name : undefined
      if (dropped === undefined) return [line]
      if (line === `# TYPE ${dropped} histogram`) return [`# TYPE ${dropped} summary`]
      return line.startsWith(`${dropped}_bucket{`) ? [] : [line]
    })
    .join('\n')
}

/**
 * Several processes' metrics as one text. The exposition format wants each family in one piece under one HELP and
 * one TYPE; the samples of different processes differ by their labels.
 */
export function mergeExpositions(texts: string[]): string {
  const families = new Map<string, MetricFamily>()
  const familyOf = (name: string) => {
    const family = families.get(name) ?? { head: new Map(), samples: [] }
    families.set(name, family)
    return family
  }
  for (const text of texts) {
    let family: MetricFamily | undefined
    for (const line of text.split('\n')) {
      const described = /^# (HELP|TYPE) (\S+)/.exec(line)
      if (described) {
        family = familyOf(described[2]!)
        if (!family.head.has(described[1]!)) family.head.set(described[1]!, line)
      } else if (line !== '' && !line.startsWith('#')) {
        family ??= familyOf(/^[^{\s]+/.exec(line)![0])
        family.samples.push(line)
      }
    }
  }
  const lines = [...families.values()].flatMap(({ head, samples }) => [...head.values(), ...samples])
  return lines.map(line => `${line}\n`).join('')
}
