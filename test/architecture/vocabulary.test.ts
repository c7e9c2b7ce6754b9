import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { ERROR_CATALOGUE } from '../../src/domain/errors/error-catalogue.ts'
import { findBannedWords } from './support/banned-words.ts'
import { readSourceTexts } from './support/source-text.ts'

const root = join(import.meta.dirname, '../..')
const listed = ['src', 'packages', 'sdk/typescript/src'].map(async folder =>
  (await readdir(join(root, folder), { recursive: true })).map(file => `${folder}/${file}`),
)
const files = (await Promise.all(listed))
  .flat()
  .filter(file => file.endsWith('.ts') && !file.startsWith('sdk/typescript/src/openapi/'))
  .sort()

test('no identifier, comment or string of the code uses a banned word', async () => {
  expect(files.length).toBeGreaterThan(100)
  const found: string[] = []
  for (const file of files) found.push(...bannedIn(file, await readFile(join(root, file), 'utf8')))
  expect(found).toEqual([])
})

test('no text of the dashboard uses a banned word', async () => {
  const dictionary = JSON.parse(await readFile(join(root, 'src/dashboard/i18n/en.json'), 'utf8'))
  const found = Object.entries<string>(dictionary).flatMap(([name, text]) =>
    [...findBannedWords('identifier', name), ...findBannedWords('comment', text)].map(
      ({ says }) => `${name}: "${text}": say ${says}`,
    ),
  )
  expect(found).toEqual([])
})

test('no name of the public surface uses a banned word', async () => {
  const names = await readPublicNames()
  for (const name of ['/provider-notifications/:connection', 'next_attempt_at', 'createPayment'])
    expect(names).toContain(name)
  for (const name of ['trilho_database_up', 'external_ref_in_use', 'webhooks.write'])
    expect(names).toContain(name)
  expect([...names].flatMap(bannedInPublicName)).toEqual([])
})

test.each(['/notices/:connection', 'next_try_at', 'tries', 'trilho_webhook_tries_total', 'attempt_in_doubt'])(
  '%s is not a public name',
  name => expect(bannedInPublicName(name)).toHaveLength(1),
)

describe('a banned word is found with its line', () => {
  test.each([
    ['in an identifier', 'const a = 1\nconst wasTold = a', 'src/x.ts:2: "wasTold"'],
    ['in a property', 'export const a = { lives: 1 }', 'src/x.ts:1: "lives"'],
    ['in a private name', 'class A {\n  #doubt = 1\n}', 'src/x.ts:2: "#doubt"'],
    ['in a line comment', 'const a = 1 // Nobody knows.', 'src/x.ts:1: "// Nobody knows."'],
    ['in a block comment', '/**\n * Begins a life.\n */\nconst a = 1', 'src/x.ts:2: " * Begins a life."'],
    ['in a string', "log.warn('the operator was told')", 'src/x.ts:1: "\'the operator was told\'"'],
    ['in a template', `const a = \`$\{{ b: \`x\` }.b} is beside it\``, 'src/x.ts:1: "} is beside it`"'],
    ['behind a regular expression', 'const a = /[`/]/\nconst told = a / 2 / 1', 'src/x.ts:2: "told"'],
    ['in an error code', "const a = 'not_taken'", 'src/x.ts:1: "\'not_taken\'"'],
    ['as a phrase', '// Waits without a word.', 'src/x.ts:1: "// Waits without a word."'],
  ])('%s', (_, source, where) => {
    const found = bannedIn('src/x.ts', source)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(where)
  })

  test.each([
    ['a docstring that asks a question', '/** Tells whether the charge is paid. */'],
    ['a verb that is no public name', "const a = '/tries'"],
    ['money that comes from a balance', '// The fee is taken from the available balance.'],
    ['a word in another one', "const lifecycle = 'understands'"],
  ])('and not in %s', (_, source) => {
    expect(bannedIn('src/x.ts', source)).toEqual([])
  })
})

function bannedIn(file: string, source: string): string[] {
  return readSourceTexts(source).flatMap(({ kind, line, text }) =>
    findBannedWords(kind, text).map(({ says, why }) => `${file}:${line}: "${text}": say ${says} (${why})`),
  )
}

function bannedInPublicName(name: string): string[] {
  return findBannedWords('public', name.replaceAll('/', ' ')).map(({ says }) => `${name}: say ${says}`)
}

/**
 * Reads the names that clients and operators use: paths, operations, parameters, fields and values of `openapi.json`; error
 * codes and scopes; and from the string literals of `src` the routes, metrics and alert rules' metrics.
 */
async function readPublicNames(): Promise<Set<string>> {
  const names = new Set<string>(Object.keys(ERROR_CATALOGUE))
  collectApiNames(JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8')), names)
  const alerts = await readFile(join(root, 'deploy/alerts.yml'), 'utf8')
  const texts = await Promise.all(files.map(file => readFile(join(root, file), 'utf8')))
  for (const [name] of [alerts, ...texts].join('\n').matchAll(/\btrilho_[a-z_]+/g)) names.add(name)
  for (const text of texts)
    for (const [, name] of text.matchAll(/'(\/[\w/:.-]+|[a-z-]+\.(?:read|write))'/g)) names.add(name!)
  return names
}

/** Adds the names in an OpenAPI document: keys of `paths` and `properties`, operations, parameters and listed values. */
function collectApiNames(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return
  for (const [key, value] of Object.entries(node)) {
    if (key === 'example' || key === 'examples') continue
    if ((key === 'paths' || key === 'properties') && typeof value === 'object')
      for (const name of Object.keys(value)) names.add(name)
    if (key === 'enum' && Array.isArray(value)) for (const name of value) names.add(String(name))
    if (['operationId', 'name', 'const'].includes(key) && typeof value === 'string') names.add(value)
    collectApiNames(value, names)
  }
}
