import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { findBannedWords } from '../architecture/support/banned-words.ts'

const root = join(import.meta.dirname, '../..')
const documents = [
  ...['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'sdk/typescript/README.md'],
  ...(await readdir(join(root, 'docs'), { recursive: true }))
    // The pages of the providers are being rewritten.
    .filter(file => file.endsWith('.md') && !file.startsWith('providers/'))
    .map(file => `docs/${file}`)
    .sort(),
]

test('no document uses a word that is banned in the code', async () => {
  const found: string[] = []
  for (const document of documents)
    found.push(...bannedIn(document, await readFile(join(root, document), 'utf8')))
  expect(documents.length).toBeGreaterThan(20)
  expect(found).toEqual([])
})

test('a banned word is found in prose, and not in code or in the title of a test', () => {
  expect(bannedIn('x.md', 'One.\n\nThe worker was told.')).toEqual([
    'x.md:3: "The worker was told.": say signalled, notified, reported or polled',
  ])
  expect(
    bannedIn(
      'x.md',
      'See `told_at`.\n\n```sh\nnobody\n```\n\n| a | `test/x.test.ts` › a life goes on |\nThe end.',
    ),
  ).toEqual([])
})

/** Finds the banned words of a document's prose; code and titles of tests are names, not prose. */
function bannedIn(document: string, markdown: string): string[] {
  let isCode = false
  return markdown.split('\n').flatMap((line, index) => {
    if (line.trimStart().startsWith('```')) {
      isCode = !isCode
      return []
    }
    if (isCode) return []
    const prose = line.replaceAll(/`[^`]*`/g, ' ').replaceAll(/ › [^|]*/g, ' ')
    return findBannedWords('comment', prose).map(
      ({ says }) => `${document}:${index + 1}: "${line}": say ${says}`,
    )
  })
}
