import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { ROOT } from './support/documents.ts'

/** What code and tests cite exists: a section of the specification, a document, a file. */

const sources = await Promise.all(
  (
    await Promise.all(
      ['src', 'test'].map(async folder =>
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
    const cited = /[\s(`](src\/[\w/.-]+\.(?:ts|mjs|eta))\b/g
    expect(brokenCitations(cited, file => existsSync(join(ROOT, file)))).toEqual([])
  })
})

describe('citations in the documents of the code', () => {
  const documents = ['architecture', 'adding-a-field', 'adding-a-list-filter', 'adding-a-provider']
  const identifiers = new Set(sources.flatMap(({ text }) => text.match(/[A-Za-z_]\w*/g) ?? []))
  const unknownIn = (text: string) =>
    [...text.matchAll(/`([A-Za-z]+[A-Z_]\w*)(?:\(\))?`/g)]
      .map(([, name]) => name!)
      .filter(name => !identifiers.has(name))

  test('an unknown identifier is found', () => {
    const missing = ['no', 'SuchName'].join('')
    expect(unknownIn(`\`executePayout\` and \`${missing}()\``)).toEqual([missing])
  })

  test.each(documents)('an identifier that docs/%s.md names exists', async name => {
    expect(unknownIn(await readFile(join(ROOT, `docs/${name}.md`), 'utf8'))).toEqual([])
  })
})
