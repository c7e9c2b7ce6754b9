import { expect, test } from '@jest/globals'
import { parseSync } from '@swc/core'
import { nodesOf, SOURCES, SYNTAX } from './support/source-imports.ts'

/**
 * Words that a reader of Temporal, payments or PostgreSQL does not know, or that have several meanings, by what the field says
 * instead. An identifier is read as its words: `isToldTwice` and `told_at` contain `told`.
 */
const BANNED_WORDS: Record<string, RegExp> = {
  'workflow, state machine': /\b(life|lives)\b/,
  'signal, notify, report, show': /\b(tells?|told|untold)\b/,
  'receive, read': /\b(un)?hear(d|s|ing)?\b/,
  'is, is stored, represents': /\bst(ands?|ood|anding)\b/,
  'client call, router': /\bdoors?\b/,
  'send a request': /\bknock(s|ed|ing)?\b/,
  'next, queued, blocked': /\b(onward|unsaid|barred)\b/,
  'unknown outcome': /\bdoubts?\b/,
  outcome: /\bfates?\b/,
  'request; correct, repair': /\b(wish|wishes|mends?|mended|mending)\b/,
  'the API, the worker, the provider, the operator': /\bwho(so)?ever\b|\b(no|some|any|every)body\b/,
  'next to, concurrently, in addition to': /\bbeside\b/,
  'list counters': /\b(tallies|tallied)\b/,
  'dashboard, architecture': /\bhouses?\b/,
  'action; environment; memory flags': /\b(deeds?|desks?|thrift)\b/,
  'provider notification': /\bnotices?\b/,
  'accepted, processed, stored, in use': /\btaken\b/,
  started: /\bbegun\b/,
  'auth code': /\bverification codes?\b/,
}

test('no identifier of the code uses a banned word', () => {
  expect(SOURCES.size).toBeGreaterThan(100)
  expect([...SOURCES].flatMap(([file, source]) => bannedIn(file, source))).toEqual([])
})

test.each([
  ['a variable', 'const wasTold = 1', 'wasTold'],
  ['a property', 'export const a = { lives: 1 }', 'lives'],
  ['a field of a type', 'type A = { next_doubt_at: Date }', 'next_doubt_at'],
  ['a private name', 'class A {\n  #doubt = 1\n}', 'doubt'],
  ['two words', 'const verificationCode = 1', 'verificationCode'],
])('a banned word is found in %s', (_, source, name) =>
  expect(bannedIn('x.ts', source)).toEqual([expect.stringContaining(`x.ts: ${name}: say `)]),
)

test('comments, strings and parts of words are not read', () => {
  const source = "// It was told.\nconst lifecycle = 'told'\nconst understands = `$" + '{lifecycle} told`'
  expect(bannedIn('x.ts', source)).toEqual([])
})

function bannedIn(file: string, source: string): string[] {
  return identifiersIn(source).flatMap(name => {
    const words = name
      .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
      .replaceAll('_', ' ')
      .toLowerCase()
    return Object.entries(BANNED_WORDS)
      .filter(([, word]) => word.test(words))
      .map(([says]) => `${file}: ${name}: say ${says}`)
  })
}

function identifiersIn(source: string): string[] {
  const identifiers = nodesOf(parseSync(source, SYNTAX)).filter(({ type }) =>
    /^(Identifier|PrivateName)$/.test(type),
  )
  return [...new Set(identifiers.map(({ value }) => String(value)))]
}
