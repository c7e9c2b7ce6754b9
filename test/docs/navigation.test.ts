import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { renderMarkdown } from '../../src/api/docs/markdown.ts'
import { ROOT } from './support/documents.ts'

/** What a newcomer finds from README.md on: every document, the folders as they are. */

const read = (file: string) => readFile(join(ROOT, file), 'utf8')

test('every document is reached by links from README.md', async () => {
  const all = await listDocuments('.')
  expect(all).toContain('sdk/python/README.md')
  const reached = await followLinks('README.md')
  expect(all.filter(file => !reached.has(file))).toEqual([])
})

test('a link to a document that is no page is its text on the page', () => {
  const { text } = renderMarkdown('[Python](sdk/python/README.md), [rules](SECURITY.md), [all](README.md)', {
    file: 'README.md',
  })
  expect(text.text).toContain('Python, rules, <a href="/docs/readme">all</a>')
})

describe('the tree of folders in docs/architecture.md', () => {
  const isFolder = (line: string) => /^ *[\w-]+\/( |$)/.test(line)

  test.each(['', 'src', 'packages'])('lists the folders of "%s"', async folder => {
    const [, tree] = /\n## Folders\n\n```text\n([\s\S]*?)```/.exec(await read('docs/architecture.md'))!
    const names: Record<string, string[]> = { '': [] }
    let parent = ''
    for (const line of tree!.trimEnd().split('\n').filter(isFolder)) {
      const name = line.trim().split('/')[0]!
      if (line.startsWith(' ')) names[parent]!.push(name)
      else {
        names['']!.push(name)
        names[name] = []
        parent = name
      }
    }
    expect(names[folder]!.sort()).toEqual((await listFolders(folder || '.')).filter(isSource))
  })

  /** Folders of the sources: neither installed, built nor written by a run. */
  const isSource = (name: string) => !/^\.|^(node_modules|dist|shots|coverage)$/.test(name)
})

async function listFolders(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { withFileTypes: true })
  return entries
    .filter(entry => entry.isDirectory())
    .map(({ name }) => name)
    .sort()
}

/** Lists the Markdown files of a folder and of those below it, without what is installed or written by a run. */
async function listDocuments(folder: string): Promise<string[]> {
  const entries = await readdir(join(ROOT, folder), { withFileTypes: true })
  const found = entries.map(async entry => {
    const path = join(folder, entry.name)
    if (entry.isDirectory())
      return /^\.|^(node_modules|dist|shots|coverage)$/.test(entry.name) ? [] : listDocuments(path)
    return entry.name.endsWith('.md') ? [path] : []
  })
  return (await Promise.all(found)).flat().sort()
}

/** Follows the links of a document to others, and theirs. */
async function followLinks(file: string, reached = new Set<string>()): Promise<Set<string>> {
  reached.add(file)
  for (const [, href] of (await read(file)).matchAll(/\]\(([\w./-]+\.md)(?:#[^)]*)?\)/g)) {
    const path = join(dirname(file), href!)
    if (!reached.has(path) && existsSync(join(ROOT, path))) await followLinks(path, reached)
  }
  return reached
}
