import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { ROOT } from './support/documents.ts'

/** What code and tests cite exists: a section of the specification, a document, a file. */

const sources = await Promise.all(
  (
    await Promise.all(
      ['src', 'packages', 'test'].map(async folder =>
        (
          await readdir(join(ROOT, folder), { recursive: true })
        )
          .filter(file => /\.(ts|mjs|eta)$/.test(file))
          .map(file => join(folder, file)),
      ),
    )
  )
    .flat()
    .map(async file => ({ file, text: await readFile(join(ROOT, file), 'utf8') })),
)

/** Every citation that a pattern finds and that does not exist, with the file it stands in. */
function brokenCitations(pattern: RegExp, exists: (cited: string) => boolean): string[] {
  return sources.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)]
      .map(([, cited]) => cited!)
      .filter(cited => !exists(cited))
      .map(cited => `${file}: ${cited}`),
  )
}

const ADDING_PAGES = (await readdir(join(ROOT, 'docs')))
  .filter(file => file.startsWith('adding-a'))
  .map(file => file.replace(/\.md$/, ''))

/** Whether a source defines a symbol: as a declaration, a property, a method or a value of a union; not by an import. */
function isDefinedIn(source: string, symbol: string): boolean {
  const definitions = [
    `\\b(?:function\\*?|const|let|class|type|interface)\\s+${symbol}\\b`,
    `\\b${symbol}\\??:\\s`,
    `^\\s+(?:async )?${symbol}\\([^)]*\\)(?:: [^{\\n]+)? \\{$`,
    `'${symbol}'`,
    `^create table ${symbol}\\b`,
    `^\\s+constraint ${symbol}\\b`,
  ]
  return new RegExp(definitions.join('|'), 'm').test(source)
}

describe('citations in code', () => {
  test('a section of the specification that is cited exists', async () => {
    const specification = await readFile(join(ROOT, 'docs/specification.md'), 'utf8')
    const sections = new Set([...specification.matchAll(/^## (\d+)\. /gm)].map(([, number]) => number))
    expect(sections.size).toBeGreaterThan(10)
    expect(brokenCitations(/SPEC §(\d+)/g, section => sections.has(section))).toEqual([])
  })

  test('a document that is cited exists', () => {
    expect(brokenCitations(/\b(docs\/[\w/-]+\.md)\b/g, file => existsSync(join(ROOT, file)))).toEqual([])
  })

  test('a document that is cited by its name alone exists', () => {
    const cited = /(?<![\w/.-])([A-Z][A-Z-]+\.md)\b/g
    expect(brokenCitations(cited, file => existsSync(join(ROOT, file)))).toEqual([])
  })

  test('a source file that is cited exists', () => {
    const cited = /[\s(`]((?:src|packages)\/[\w/.-]+\.(?:ts|mjs|eta))\b/g
    expect(brokenCitations(cited, file => existsSync(join(ROOT, file)))).toEqual([])
  })
})

describe('citations in the documents of the code', () => {
  const documents = ['architecture', ...ADDING_PAGES]
  const identifiers = new Set(sources.flatMap(({ text }) => text.match(/[A-Za-z_]\w*/g) ?? []))
  const unknownIn = (text: string) =>
    [...text.matchAll(/`([A-Za-z]+[A-Z_]\w*)(?:\(\))?`/g)]
      .map(([, name]) => name!)
      .filter(name => !identifiers.has(name))

  /** Lists the symbols that a text places in a file (`a` and `b` in `file`, `a` (`file`)) and that are not defined there. */
  const misplacedIn = (text: string) =>
    [
      ...text.matchAll(
        /((?:`\w+`(?:, and|,| and)?\s+)+)(?:(?:in|of)\s+|\()`((?:src|packages)\/[\w/.-]+\.ts)`/g,
      ),
    ].flatMap(([, symbols, file]) => {
      const source = sources.find(one => one.file === file)?.text ?? ''
      return [...symbols!.matchAll(/`(\w+)`/g)]
        .map(([, symbol]) => symbol!)
        .filter(symbol => !isDefinedIn(source, symbol))
        .map(symbol => `${symbol} in ${file}`)
    })

  test('an unknown identifier is found', () => {
    const missing = ['no', 'SuchName'].join('')
    expect(unknownIn(`\`lookUpPayout\` and \`${missing}()\``)).toEqual([missing])
  })

  test('a symbol that the cited file only imports is found', () => {
    const text =
      '`normalizePixKey` in `src/contract/transfers/transfer.ts`, `transition` (`src/activities/shared/transition.ts`)'
    expect(misplacedIn(text)).toEqual(['normalizePixKey in src/contract/transfers/transfer.ts'])
    expect(misplacedIn('`chargeMachine`, and `sendPayout` in\n`src/domain/charges/charge.ts`.')).toEqual([
      'sendPayout in src/domain/charges/charge.ts',
    ])
  })

  test.each(documents)('a symbol that docs/%s.md places in a file is defined there', async name => {
    expect(misplacedIn(await readFile(join(ROOT, `docs/${name}.md`), 'utf8'))).toEqual([])
  })

  test.each(documents)('an identifier that docs/%s.md names exists', async name => {
    expect(unknownIn(await readFile(join(ROOT, `docs/${name}.md`), 'utf8'))).toEqual([])
  })
})
