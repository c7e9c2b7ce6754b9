import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { ANSWER_TABLES, replaceAnswerTable } from '../../docs/tables/answer-tables.ts'
import { updateErrorTables } from '../../docs/tables/error-tables.ts'
import { updateRetentionTable } from '../../docs/tables/retention-table.ts'
import { updateScopeTable } from '../../docs/tables/scope-table.ts'
import { DEV_COMMANDS } from '../../packages/dev/commands.ts'
import { DECISIONS, DOCUMENTS, RUNBOOKS } from '../../src/api/docs/documents.ts'
import { GUIDE_PAGES } from '../../src/api/docs/guide-pages.ts'
import { renderMarkdown } from '../../src/api/docs/markdown.ts'
import { type CommandEnvironment, createShellEnvironment } from '../../src/cli/command-context.ts'
import { createProgram } from '../../src/cli/program.ts'
import { PROVIDER_APIS } from '../../src/domain/providers/provider.ts'
import { REQUIRED_PERMISSIONS } from '../../src/providers/registry.ts'
import { blocksOf, documents, ROOT } from './support/documents.ts'

/** What the documents say of this repository stays true. */

const read = (file: string) => readFile(join(ROOT, file), 'utf8')
const documentOf = (file: string) => documents.find(one => one.file === file)!
/** `code` in a line of text, not in a block. */
const spansOf = (text: string) =>
  [...text.replaceAll(/^```[\s\S]*?^```/gm, '').matchAll(/`([^`\n]+)`/g)].map(([, span]) => span!)

test('every crash point of docs/crash-semantics.md names an existing test', async () => {
  const rows = documentOf('docs/crash-semantics.md').text.matchAll(
    /`(test\/[\w/-]+\.test\.ts)` › (.+?) \|$/gm,
  )
  const named = [...rows].map(([, file, title]) => ({ file: file!, title: title! }))
  expect(named.length).toBeGreaterThan(25)
  const missing = []
  for (const { file, title } of named) {
    const text = await read(file)
    if (!["'", '"', '`'].some(quote => text.includes(`${quote}${title}${quote}`)))
      missing.push({ file, title })
  }
  expect(missing).toEqual([])
})

test('every document of the folder is a page', async () => {
  const listed = await readdir(join(ROOT, 'docs'), { recursive: true })
  const files = listed.filter(file => file.endsWith('.md')).map(file => `docs/${file}`)
  const pages = [...DOCUMENTS, ...DECISIONS, ...RUNBOOKS, ...Object.values(GUIDE_PAGES).flat()].map(
    ({ file }) => file,
  )
  expect(pages.sort()).toEqual(['CHANGELOG.md', 'CONTRIBUTING.md', 'README.md', ...files].sort())
})

test('the tables of errors equal the catalogues: npm run docs:tables', () => {
  const { text } = documentOf('docs/errors.md')
  expect(text.match(/<!-- made: \w+ -->/g)).toHaveLength(2)
  expect(updateErrorTables(text)).toBe(text)
})

test('the table of token scopes equals the operations: npm run docs:tables', () => {
  const { text } = documentOf('docs/specification.md')
  expect(text).toContain('<!-- made: scopes -->')
  expect(updateScopeTable(text)).toBe(text)
})

test('the table of retention is that by which rows are deleted: npm run docs:tables', () => {
  const { text } = documentOf('docs/retention.md')
  expect(text).toContain('<!-- made: retention -->')
  expect(updateRetentionTable(text)).toBe(text)
})

test.each(Object.entries(ANSWER_TABLES))(
  'the page of %s shows the answers that its adapter relies on: npm run docs:tables',
  (dialect, answers) => {
    const { text } = documentOf(`docs/providers/${dialect}.md`)
    expect(text).toContain('<!-- made: answers -->')
    expect(replaceAnswerTable(text, answers)).toBe(text)
    for (const { source } of Object.values(answers).flat()) expect(source).not.toBe('')
  },
)

test.each(Object.entries(REQUIRED_PERMISSIONS))(
  'the page of %s lists the permissions that its credentials need',
  (dialect, permissions) => {
    const [, section] = /\n## Before an account is connected\n([\s\S]*?)\n## /.exec(
      documentOf(`docs/providers/${dialect}.md`).text,
    )!
    // First cells of the table's rows.
    const cells = [...section!.matchAll(/^\| (`[^|]+) \|/gm)].flatMap(([, cell]) => spansOf(cell!))
    expect(new Set(cells)).toEqual(new Set(permissions))
  },
)

describe.each(documents)('$file', ({ text, tokens, ...documented }) => {
  const spans = spansOf(text)

  test('every file that it names exists', () => {
    const folders = /^(src|test|deploy|docs|\.ci)\//
    const named = spans.filter(
      span => folders.test(span) || /^[\w.-]+\.(yml|json)$|^Dockerfile$|^\.env\./.test(span),
    )
    // Also the files of the provider that docs/adding-a-provider.md adds.
    const made = /^\.trilho\/|\*|^(simulator|local)\.json$|\/acme\b/
    expect(named.filter(name => !made.test(name) && !existsSync(join(ROOT, name)))).toEqual([])
  })

  test('every link within the documents leads to an existing heading', () => {
    const links = [...text.matchAll(/\]\(((?:\.\.\/|[\w-]+\/)*[\w-]+\.md)(?:#([\p{L}\p{N}_-]+))?\)/gu)]
    const wrong = links.filter(([, href, anchor]) => {
      const path = join(documented.file, '..', href!)
      const target = documents.find(({ file }) => file === path)
      // A file that is no page, such as the README of an SDK: a page shows the text of the link alone.
      if (!target) return anchor !== undefined || !existsSync(join(ROOT, path))
      return anchor && !renderMarkdown(target.text, target).text.text.includes(`id="${anchor}"`)
    })
    expect(wrong.map(([link]) => link)).toEqual([])
  })

  test('every npm script that it names exists', async () => {
    const { scripts } = JSON.parse(await read('package.json'))
    const named = [...text.matchAll(/npm run (?:-s )?([\w:]+)/g)].map(([, name]) => name!)
    expect(named.filter(name => !Object.hasOwn(scripts, name))).toEqual([])
  })

  test('every trilho command that it names exists', async () => {
    const words = [...text.matchAll(/`trilho ([a-z][a-z-]*)(?: ([a-z][a-z-]*))?/g)]
    const { commands } = await createTrilho(createShellEnvironment())
    const wrong = words.filter(([, name, more]) => {
      const command = commands.find(one => one.name() === name)
      return (
        !command ||
        (more && command.commands.length > 0 && !command.commands.some(one => one.name() === more))
      )
    })
    expect(wrong.map(([span]) => span)).toEqual([])
  })

  test('a trilho command that is not run is valid', async () => {
    const scripts = blocksOf({ ...documented, text, tokens }).filter(
      ({ coveringTest: covered }) => covered !== null,
    )
    const lines = scripts.flatMap(({ script }) => script.replaceAll('\\\n', ' ').split('\n'))
    for (const line of lines.filter(one => one.includes(' trilho -- ')))
      await expect(given(line)).resolves.toBe(line)
  })
})

/** Creates the program of `npm run trilho`. */
function createTrilho(environment: CommandEnvironment) {
  return createProgram(environment, { moreModules: DEV_COMMANDS })
}

/** Parses a command as the shell would hand it over, and does nothing. */
async function given(line: string): Promise<string> {
  const [, command = ''] = line.split(' trilho -- ')
  const words = [...command.replace(/ #.*$/, '').matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare!,
  )
  const known = words.map(word => (/^\$[A-Z]+$/.test(word) ? crypto.randomUUID() : word))
  const program = await createTrilho({
    withContext: async () => {},
    withApi: async () => {},
    print: () => {},
    readSecret: async () => '',
  })
  for (const one of [program, ...program.commands.flatMap(parent => [parent, ...parent.commands])])
    one.exitOverride().configureOutput({ writeErr: () => {} })
  await program.parseAsync(known, { from: 'user' })
  return line
}

describe('docs/production.md', () => {
  const { text } = documentOf('docs/production.md')

  test('describes every environment variable, and no other', async () => {
    const files = ['src/config.ts', 'src/storage/settings.ts']
    for (const name of ['dev', 'simulator']) files.push(`packages/${name}/config.ts`)
    const settings = (await Promise.all(files.map(read))).join('\n')
    const readHere = [...settings.matchAll(/^ {2}([A-Z][A-Z0-9_]+):/gm)].map(([, name]) => name!)
    const rows = text.split('\n').filter(line => line.startsWith('| `'))
    const documented = rows.flatMap(row =>
      [...row.split('|')[1]!.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name]) => name!),
    )
    expect(readHere).toContain('TRILHO_SECRET_KEY')
    expect([...new Set(documented)].sort()).toEqual([...new Set(readHere)].sort())
  })

  test('every metric that it, an alert or a dashboard names is exported', async () => {
    const folder = join(ROOT, 'src/metrics')
    const sources = await Promise.all(
      (await readdir(folder)).map(file => readFile(join(folder, file), 'utf8')),
    )
    const others = await Promise.all(
      ['alerts.yml', 'grafana/dashboards.ts'].map(one => read(`deploy/${one}`)),
    )
    const named = [text, ...others].join().match(/trilho_[a-z_]+/g) ?? []
    const wrong = named.filter(
      name => !sources.some(source => source.includes(name.replace(/_(bucket|count)$/, ''))),
    )
    expect(wrong).toEqual([])
  })
})

describe('docs/adding-a-provider.md', () => {
  const { text } = documentOf('docs/adding-a-provider.md')

  test('describes every call of the port', async () => {
    const [, port = ''] = (await read('src/providers/port.ts')).split('export interface Provider {')
    const calls = [...port.matchAll(/^ {2}(\w+)\(/gm)].map(([, name]) => name!)
    expect(calls.length).toBeGreaterThan(15)
    expect(calls.filter(name => !spansOf(text).includes(name))).toEqual([])
  })

  test('lists every file that names a provider API', async () => {
    const own =
      /^(src\/providers|packages\/simulator\/provider-apis)\/(efi|inter|sicoob|stark|woovi)|^src\/db\/migrations|^packages\/simulator\/schema/
    const listed = ['src', 'packages'].map(async folder =>
      (await readdir(join(ROOT, folder), { recursive: true })).map(file => `${folder}/${file}`),
    )
    const files = (await Promise.all(listed)).flat()
    const knowing: string[] = []
    for (const file of files.filter(one => one.endsWith('.ts') && !own.test(one))) {
      const code = (await read(file)).replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '')
      if (PROVIDER_APIS.some(dialect => new RegExp(`\\b${dialect}\\b`).test(code))) knowing.push(file)
    }
    expect(knowing.filter(file => !text.includes(`\`${file}\``))).toEqual([])
  })
})
