type Family = { head: Map<string, string>; samples: string[] }

/**
 * Several processes' metrics as one text. The exposition format wants each family in one piece under one HELP and
 * one TYPE; the samples of different processes differ by their labels.
 */
export function mergeExpositions(texts: string[]): string {
  const families = new Map<string, Family>()
  const familyOf = (name: string) => {
    const family = families.get(name) ?? { head: new Map(), samples: [] }
    families.set(name, family)
    return family
  }
  for (const text of texts) {
    let family: Family | undefined
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
