import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { PROVIDER_APIS } from '../../src/domain/providers/provider.ts'
import type { ProviderApiReport } from './programs/provider-apis.ts'
import { ROOT } from './support/documents.ts'
import { DUMMY_API, DUMMY_FILES, NAMING_FILE, SHARED_CHANGES } from './support/dummy-dialect.ts'
import { copyRepository, type RepositoryCopy } from './support/repository-copy.ts'

/**
 * The list of files in docs/adding-a-provider.md is complete and has none too many: in a copy of the repository, a provider API
 * is added by an entry in each of them. Two checks of all types and two short programs; nothing else is started.
 */

type ListedFile = { file: string; check: 'type' | 'test' }
type Reports = Record<string, ProviderApiReport>

const SLOW_MACHINE_MS = 900_000
const REPORT = 'test/docs/programs/provider-apis.ts'

const listed = listFiles(await readFile(join(ROOT, 'docs/adding-a-provider.md'), 'utf8'))
const listedBy = (check: ListedFile['check']) =>
  listed.filter(one => one.check === check).map(({ file }) => file)

let copy: RepositoryCopy
beforeAll(async () => {
  copy = await copyRepository()
  for (const [file, text] of Object.entries(DUMMY_FILES)) await copy.write(file, text)
})
afterAll(() => copy.close())

/** Reads the rows of the table of files: file, what is added, which check finds that it is missing. */
function listFiles(page: string): ListedFile[] {
  const [, section = ''] = /\n### Files\n([\s\S]*?)\n### /.exec(page) ?? []
  return [...section.matchAll(/^\| `([^`]+)` \| .+ \| (type|test) \|$/gm)].map(([, file, check]) => ({
    file: file!,
    check: check as ListedFile['check'],
  }))
}

/** Writes the entry of the dummy into a shared file, or removes it again by the text before. */
async function addEntry(file: string): Promise<string> {
  const before = await copy.read(file)
  await copy.write(
    file,
    SHARED_CHANGES[file]!.reduce((text, change) => change(text), before),
  )
  return before
}

test('the table lists what the dummy adds, each file once', () => {
  const added = [...Object.keys(DUMMY_FILES), ...Object.keys(SHARED_CHANGES)]
  expect(listed.map(({ file }) => file).sort()).toEqual(added.sort())
})

test(
  'once it is named, the type checker names each listed file of type that lacks it, and no other',
  async () => {
    await addEntry(NAMING_FILE)
    const errors = await copy.listTypeErrors()
    const files = new Set(errors.map(line => line.slice(0, line.indexOf('('))))
    const shared = listedBy('type').filter(file => file !== NAMING_FILE && SHARED_CHANGES[file])
    expect([...files].sort()).toEqual(shared.sort())
  },
  SLOW_MACHINE_MS,
)

describe('with an entry in each listed file', () => {
  const before = new Map<string, string>()
  let reports: Reports
  const readReports = async () => JSON.parse(await copy.runProgram(REPORT)) as Reports

  beforeAll(async () => {
    for (const file of Object.keys(SHARED_CHANGES))
      if (file !== NAMING_FILE) before.set(file, await addEntry(file))
    await copy.runProgram('docs/tables/write.ts')
    reports = await readReports()
  }, SLOW_MACHINE_MS)

  test(
    'no type is wrong',
    async () => {
      expect(await copy.listTypeErrors()).toEqual([])
    },
    SLOW_MACHINE_MS,
  )

  test('no file has changed that is not listed', async () => {
    expect(await copy.listChangedFiles()).toEqual(listed.map(({ file }) => file).sort())
  })

  test.each([DUMMY_API, ...PROVIDER_APIS])('%s lacks nothing, and reads its balance', api => {
    expect(reports[api]).toEqual({
      incomplete: {},
      refusal: expect.stringMatching(/^credentials\.\w+: /),
      balance: { kind: 'found', balance: { availableCents: 12_345, blockedCents: 0 } },
    })
  })

  test('bad credentials are refused by the name of each field', () => {
    expect(reports[DUMMY_API]!.refusal).toMatch(/^credentials\.client_id: .*; credentials\.access_key: /)
  })

  test('its page shows its answers', async () => {
    const page = await copy.read(`docs/providers/${DUMMY_API}.md`)
    expect(page).toContain('| balances | 401 | `KEY_REVOKED` | refused | `provider_denied` | yes |')
  })

  test('each new file of type is imported by another listed one', async () => {
    const isImported = async (file: string) => {
      const others = listed.filter(one => one.file !== file && one.file.endsWith('.ts'))
      const texts = await Promise.all(others.map(one => copy.read(one.file)))
      return texts.some(text => text.includes(`/${basename(file)}'`) && text.includes(DUMMY_API))
    }
    const added = listedBy('type').filter(file => DUMMY_FILES[file])
    expect(added.length).toBeGreaterThan(3)
    for (const file of added) expect([file, await isImported(file)]).toEqual([file, true])
  })

  test(
    'each listed file of test is found where it lacks the entry',
    async () => {
      for (const file of listedBy('test')) {
        if (DUMMY_FILES[file]) await copy.remove(file)
        else await copy.write(file, before.get(file)!)
      }
      const { incomplete } = (await readReports())[DUMMY_API]!
      expect(Object.keys(incomplete).sort()).toEqual(listedBy('test').sort())
    },
    SLOW_MACHINE_MS,
  )
})
