import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import {
  type DocumentationFiles,
  readDocumentation,
  writeDocumentation,
} from '../../src/api/docs/documentation-files.ts'
import { renderMarkdown } from '../../src/api/docs/markdown.ts'
import { writeReference } from '../../src/api/docs/reference.ts'
import { REFERENCE_TITLES } from '../../src/api/docs/reference-phrases.ts'
import { ROOT } from './support/documents.ts'

/** The API reference, which is written from the OpenAPI document, and the folder of the documentation that is built ahead. */

const openApi = JSON.parse(await readFile(join(ROOT, 'openapi.json'), 'utf8'))
const markdown = writeReference(openApi)
const { text: html } = renderMarkdown(markdown, { file: 'openapi.json' }).text
const sectionOf = (title: string) => markdown.split(`\n### ${title}\n`)[1]!.split(/\n##/)[0]!

describe('an operation', () => {
  const section = sectionOf('Create a charge')

  test('has its address, parameters and fields, with their limits', () => {
    expect(section).toContain('`POST /api/v1/payments` (`createPayment`)')
    expect(section).toMatch(
      /\| `Idempotency-Key` optional \| string \| In the headers\..* 1 to 255 characters/,
    )
    expect(section).toContain('| `value` required | number | Reais.')
    expect(section).toContain('| `splits` optional | list of [SplitInput](#object-splitinput) |')
    expect(section).toContain(
      '| `final_beneficiary` optional | [FinalBeneficiary](#object-finalbeneficiary) |',
    )
  })

  test('has its samples and its answer, folded', () => {
    for (const title of ['curl', 'TypeScript', 'Python', 'Answer'])
      expect(section).toContain(` fold=${title}\n`)
    expect(section).toContain(
      'Answer `201`, `application/json`: `data` is [CreatedCharge](#object-createdcharge).',
    )
    expect(html).toContain('<details><summary>TypeScript</summary>\n<div class="code">')
  })

  test('has the codes of its errors, with the data of those that have some', () => {
    expect(section).toContain(
      '409 [`not_found_after_restore`](/docs/errors#not_found_after_restore) (`data`: ',
    )
    expect(section).toContain('401 [`unauthenticated`](/docs/errors#unauthenticated)')
  })
})

test('codes that share an answer all have its data', () => {
  const transfer = sectionOf(openApi.paths['/api/v1/transfers'].post.summary)
  for (const code of ['no_provider_available', 'paused', 'not_started'])
    expect(transfer).toContain(`[\`${code}\`](/docs/errors#${code}) (\`data\`: `)
})

type Response = { $ref?: string; content?: Record<string, { examples?: object }> }

test('every operation has all codes that the OpenAPI document lists for it', () => {
  const operations = Object.values<object>(openApi.paths).flatMap(methods => Object.values(methods))
  expect(operations.length).toBeGreaterThan(40)
  for (const { summary, responses } of operations) {
    const codes = Object.entries<Response>(responses).flatMap(([status, response]) => {
      const { content } = response.$ref
        ? openApi.components.responses[response.$ref.split('/').at(-1)!]
        : response
      return status.startsWith('2') ? [] : Object.keys(content?.['application/json']?.examples ?? {})
    })
    expect(codes.length > 0 || /^Health|ready|alive/i.test(summary)).toBe(true)
    const section = sectionOf(summary)
    expect([summary, codes.filter(code => !section.includes(`errors#${code})`))]).toEqual([summary, []])
  }
})

test('every id is unique, and every link leads to one, or to a code of the errors page', async () => {
  const ids = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
  const links = [...html.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => id!)
  expect(links.filter(id => !ids.includes(id))).toEqual([])
  const errors = await readFile(join(ROOT, 'docs/errors.md'), 'utf8')
  const codes = [...html.matchAll(/ href="\/docs\/errors#([^"]+)"/g)].map(([, code]) => code!)
  expect([...new Set(codes)].filter(code => !errors.includes(`| \`${code}\` |`))).toEqual([])
})

describe('in Portuguese', () => {
  const portuguese = writeReference(openApi, 'pt')
  const { text: page } = renderMarkdown(portuguese, { file: 'openapi.json' }).text
  const operations = [...Object.values<object>(openApi.paths), ...Object.values<object>(openApi.webhooks)]
    .flatMap(methods => Object.values<{ operationId: string }>(methods as never))
    .map(({ operationId }) => operationId)

  test('every operation, event and group has a title, and no other is there', () => {
    const { tags, operations: titles } = REFERENCE_TITLES.pt!
    expect(Object.keys(titles).sort()).toEqual([...operations].sort())
    expect(new Set(Object.values(titles)).size).toBe(operations.length)
    const names = openApi.tags.map(({ name }: { name: string }) => name)
    expect(Object.keys(tags).sort()).toEqual(names.sort())
    for (const [title] of Object.values(tags)) expect(portuguese).toContain(`\n## ${title}\n`)
  })

  test('has the same operations with words of its language around them', () => {
    const section = portuguese.split('\n### Criar uma cobrança\n')[1]!.split(/\n##/)[0]!
    expect(section).toContain('`POST /api/v1/payments` (`createPayment`)')
    expect(section).toMatch(/\| `Idempotency-Key` opcional \| string \| No cabeçalho\..* 1 a 255 caracteres/)
    expect(section).toContain(
      'Resposta `201`, `application/json`: `data` é [CreatedCharge](#objeto-createdcharge).',
    )
    for (const title of ['curl', 'TypeScript', 'Python', 'Resposta'])
      expect(section).toContain(` fold=${title}\n`)
  })

  test('every id is unique, and every link leads to one, or to a code of the errors page', async () => {
    const ids = [...page.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id!)
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([])
    const links = [...page.matchAll(/ href="#([^"]+)"/g)].map(([, id]) => decodeURIComponent(id!))
    expect(links.filter(id => !ids.includes(id))).toEqual([])
    const errors = await readFile(join(ROOT, 'docs/guide/pt/errors.md'), 'utf8')
    const codes = [...page.matchAll(/ href="\/docs\/pt\/errors#([^"]+)"/g)].map(([, code]) => code!)
    expect(codes.length).toBeGreaterThan(100)
    expect([...new Set(codes)].filter(code => !errors.includes(`| \`${code}\` |`))).toEqual([])
  })
})

describe('the folder that is built', () => {
  let folder: string
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'trilho-documentation-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  test('has every file under the path at which it is served', () => {
    const files: DocumentationFiles = new Map<string, () => string | Buffer>([
      ['/openapi.json', () => '{}'],
      ['/docs/en', () => '<p>en</p>'],
      ['/docs/en/charges', () => '<p>charges</p>'],
      ['/docs/images/a.png', () => Buffer.from([1, 2])],
    ])
    writeDocumentation(files, folder)
    const built = readDocumentation(folder)
    expect([...built.keys()].sort()).toEqual([...files.keys()].sort())
    for (const [path, read] of files) expect(String(built.get(path)!())).toBe(String(read()))
  })
})
