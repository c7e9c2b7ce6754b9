import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { findBannedWords } from './support/banned-words.ts'
import { readSourceTexts } from './support/source-text.ts'

const root = join(import.meta.dirname, '../..')
const listed = ['src', 'sdk/typescript/src'].map(async folder =>
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
    ['as a phrase', '// Waits without a word.', 'src/x.ts:1: "// Waits without a word."'],
  ])('%s', (_, source, where) => {
    const found = bannedIn('src/x.ts', source)
    expect(found).toHaveLength(1)
    expect(found[0]).toMatch(where)
  })

  test.each([
    ['an error code', "const a = ['not_taken', 'external_ref_taken']"],
    ['a docstring that asks a question', '/** Tells whether the charge is paid. */'],
    ['a path', "import { Notice } from '../db/entities/provider-notification.ts'"],
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
