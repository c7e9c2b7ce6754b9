import { readdir, readFile } from 'node:fs/promises'
import { basename, join, relative } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { type Expression, parseSync } from '@swc/core'
import { bundleWorkflowCode } from '@temporalio/worker'
import { BUNDLE_OPTIONS } from '../../src/workflows/bundle/bundle-options.ts'
import {
  COMPOSITION_ROOTS,
  isSource,
  nameOf,
  nodesOf,
  ROOT,
  readSourceImports,
  SOURCE_FILES,
  SOURCES,
  type SourceImport,
  SYNTAX,
} from './support/source-imports.ts'

const root = ROOT
const files = SOURCE_FILES

/**
 * The folders, or files beside them, that each may import: `types of` allows `import type` only, and a path narrower than a
 * folder allows nothing else of it. What is not here (packages/dev, src/cli, src/worker.ts, src/server.ts, src/build.ts, src/offline-routes.ts) composes
 * the others and may import everything; of `packages`, nothing of `src` may.
 */
const ARROWS: Record<string, string[]> = {
  domain: [],
  workflows: ['domain', 'workflows/contracts', 'types of activities/index'],
  'workflows/contracts': ['domain'],
  'workflows/bundle': ['config', 'tracing'],
  contract: ['domain', 'types of db'],
  db: ['domain'],
  providers: ['domain', 'net'],
  // The names of providers, and nothing that an adapter uses too: both would have the same error (`amount.ts`, `pix-key.ts`).
  'packages/simulator': ['domain/providers/provider', 'startup/environment', 'startup/process', 'views'],
  'webhook-client': ['net'],
  'code-reader': ['domain', 'net', 'webhook-client'],
  messaging: [],
  temporal: ['domain', 'db', 'workflows/contracts', 'startup/wait-until', 'types of config'],
  'disaster-recovery': ['domain', 'db', 'workflows/contracts', 'temporal', 'types of security'],
  'provider-access': ['domain', 'db', 'types of providers/shared-access', 'security'],
  'provider-notifications': [
    'domain',
    'db',
    'workflows/contracts',
    'temporal',
    'types of providers/adapter/unexplained-answers',
    'types of security',
  ],
  activities: [
    'domain',
    'db',
    'contract',
    'temporal',
    'provider-notifications',
    'disaster-recovery',
    'messaging',
    'providers',
    'webhook-client',
    'types of workflows/contracts',
    'types of metrics',
    'security',
    'types of storage',
  ],
  admin: [
    'domain',
    'db',
    'providers',
    'security',
    'temporal',
    'disaster-recovery',
    'workflows/contracts',
    'activities/ledger/adjustments',
    'activities/ledger/archive',
    'activities/disputes/contests',
    'api/operations',
    'types of code-reader',
    'types of storage',
  ],
  http: ['domain', 'db/redact-error', 'storage'],
  api: [
    'api/operations',
    'api/authorization',
    'http',
    'domain',
    'db',
    'contract',
    'temporal',
    'provider-notifications',
    'types of providers',
    'types of workflows/contracts',
    'messaging/settings',
    'metrics',
    'code-reader',
    'webhook-client',
    'security',
    'storage',
    'config',
    'views',
  ],
  'api/authorization': ['http', 'db', 'security'],
  // What routes and dashboard pages share: no route, and nothing of HTTP that only routes have.
  'api/operations': [
    'api/authorization',
    'api/routing',
    'http',
    'domain',
    'db',
    'contract',
    'temporal',
    'types of providers',
    'types of workflows/contracts',
    'messaging/settings',
    'code-reader',
    'webhook-client',
    'security',
    'types of storage',
    'types of config',
    // Direct writes whose rules are those of the workflows that record a PIX, or whose events are those of a dispute.
    'activities/qr-codes/assign-deposit',
    'activities/disputes/contests',
  ],
  metrics: ['domain', 'db', 'types of providers'],
  config: [
    'security',
    'domain/errors/startup-refusal',
    'startup/environment',
    'storage/settings',
    'temporal/connection',
  ],
  startup: ['db', 'domain/errors/startup-refusal'],
  storage: ['domain', 'security'],
  net: [],
  // Of the API its operations and who may call them, never a route; of the operators' commands what they share with its pages.
  dashboard: [
    'api/operations',
    'api/authorization',
    'http',
    'db',
    'domain',
    'temporal',
    'contract',
    'admin',
    'security',
    'views',
    'types of config',
    'types of storage',
    'types of code-reader',
    'types of providers',
  ],
  views: ['domain/shared/pdf-text'],
  security: [],
  tracing: [],
}
/**
 * The folders of activities from the lowest on: one imports lower ones only. What nouns share is below them: a payout in
 * `payouts`, money and what disputes hold of it in `ledger`. The activities of disputes are above the other nouns.
 */
const ACTIVITY_FLOORS = [
  'runtime',
  'shared',
  'events',
  'provider-notifications',
  'ledger',
  'limits',
  'payouts',
  'unmatched',
  'recurrences',
  'charges',
  'qr-codes',
  'deposits',
  'refunds',
  'transfers',
  'pix-keys',
  'users',
  'reports',
  'webhooks',
  'disputes',
  'reconciliation',
  'disaster-recovery',
  'index',
]
/** What a folder may take from outside; every other one may take what package.json names. */
const PACKAGES: Record<string, string[]> = {
  domain: ['@brazilian-utils/brazilian-utils'],
  workflows: ['@temporalio/workflow', '@temporalio/common'],
  'workflows/contracts': ['@temporalio/workflow', '@temporalio/common'],
}
/** The renderer of the documentation: `npm run build` runs it ahead, so that its libraries are not in the production image. */
const RENDERER = /^api\/docs\/(markdown|reference|render-documentation)$/
/** Folders with arrows of their own inside another one. */
const INNER_FOLDER = /^(packages\/\w+|workflows\/(contracts|bundle)|api\/(operations|authorization))(?=\/)/

const imports = await readSourceImports()

test('source files and their imports are found', () => {
  expect(files.length).toBeGreaterThan(100)
  expect(imports).toContainEqual({
    from: 'workflows/charges/charge.workflow',
    to: 'domain/charges/charge',
    isType: false,
  })
  expect(imports).toContainEqual({
    from: 'workflows/shared/activity-proxies',
    to: 'activities/index',
    isType: true,
  })
  expect(imports).toContainEqual({
    from: 'workflows/charges/charge.workflow',
    to: '@temporalio/workflow',
    isType: false,
  })
})

describe('arrows point to the domain', () => {
  test('every folder has its arrows', () => {
    const without = files.map(nameOf).filter(name => !ARROWS[folderOf(name)] && !COMPOSITION_ROOTS.test(name))
    expect(without).toEqual([])
  })

  for (const [folder, allowed] of Object.entries(ARROWS))
    test(`${folder} → ${allowed.join(', ') || 'nothing of ours'}`, () => {
      const wrong = imports.filter(
        one =>
          folderOf(one.from) === folder &&
          !COMPOSITION_ROOTS.test(one.from) &&
          isOurs(one.to) &&
          !isAllowed(one, allowed),
      )
      expect(wrong.map(written)).toEqual([])
    })

  test('docs/architecture.md shows them', async () => {
    const document = await readFile(join(ROOT, 'docs/architecture.md'), 'utf8')
    const [, layers] = document.split('\n## Layers\n')
    const rows = [...layers!.matchAll(/^\| [^|]+ \| `(?:src\/)?([\w/-]+)` \| [^|]+ \| ([^|]+) \|$/gm)]
    expect(rows.length).toBeGreaterThan(15)
    const shown = Object.fromEntries(rows.map(([, folder, allowed]) => [folder, allowed]))
    const expected = rows.map(([, folder]) => [folder, showArrows(ARROWS[folder!])] as const)
    expect(shown).toEqual(Object.fromEntries(expected))
  })

  test('the drawing of docs/architecture.md shows some of them', async () => {
    const document = await readFile(join(ROOT, 'docs/architecture.md'), 'utf8')
    const [, drawing] = /```mermaid\nflowchart TB\n([\s\S]*?)```/.exec(document)!
    const folders = new Map(
      [...drawing!.matchAll(/(\w+)\["([\w/-]+)"\]/g)].map(([, id, name]) => [id, name!]),
    )
    const drawn = [...drawing!.matchAll(/^ +(\w+)(?:\[.*?\])? -(-|\. types \.-)> (\w+)/gm)]
    expect(drawn.length).toBe(drawing!.trimEnd().split('\n').length)
    const shown = drawn.map(([, from, kind, to]) => ({
      from: folders.get(from)!,
      to: `${kind === '-' ? '' : 'types of '}${folders.get(to)}`,
    }))
    const wrong = shown.filter(
      ({ from, to }) => !ARROWS[from]!.some(allowed => allowed.replace(/\/index$/, '') === to),
    )
    expect(wrong).toEqual([])
  })

  test('activities import lower floors only', () => {
    const floorOf = (name: string) => ACTIVITY_FLOORS.indexOf(/^activities\/([^/]+)/.exec(name)?.[1] ?? '')
    const own = imports.filter(one => one.from.startsWith('activities/') && one.to.startsWith('activities/'))
    expect(own.filter(({ from, to }) => floorOf(from) < 0 || floorOf(to) < 0).map(written)).toEqual([])
    const upward = own.filter(
      ({ from, to }) => floorOf(to) >= floorOf(from) && from.split('/')[1] !== to.split('/')[1],
    )
    expect(upward.map(written).sort()).toEqual([])
  })

  test('nothing outside src/workflows imports a workflow: contracts say all that others need', () => {
    const wrong = imports.filter(
      ({ from, to }) =>
        to.startsWith('workflows/') && folderOf(to) === 'workflows' && !from.startsWith('workflows/'),
    )
    expect(wrong.map(written)).toEqual([])
  })

  for (const [folder, allowed] of Object.entries(PACKAGES))
    test(`${folder} takes from outside only ${allowed.join(', ')}`, () => {
      const wrong = imports.filter(
        one =>
          folderOf(one.from) === folder &&
          !isOurs(one.to) &&
          !allowed.includes(packageOf(one.to)) &&
          !one.isType,
      )
      expect(wrong.map(written)).toEqual([])
    })

  test('nothing of src imports of packages, which are not in the production image', () => {
    const wrong = imports.filter(
      ({ from, to }) => !from.startsWith('packages/') && to.startsWith('packages/'),
    )
    expect(wrong.map(written)).toEqual([])
  })

  test('only the build and a process next to the sources render the documentation', () => {
    const importers = imports.filter(({ from, to }) => RENDERER.test(to) && !RENDERER.test(from))
    expect([...new Set(importers.map(({ from }) => from))].sort()).toEqual(['api/docs/routes', 'build'])
  })

  test.each([
    ['package.json', 'dependencies', (name: string) => !name.startsWith('packages/') && !RENDERER.test(name)],
    ['package.json', 'devDependencies', (name: string) => RENDERER.test(name)],
    [
      'packages/simulator/package.json',
      'devDependencies',
      (name: string) => name.startsWith('packages/simulator/'),
    ],
    ['packages/dev/package.json', 'devDependencies', (name: string) => name.startsWith('packages/dev/')],
  ])('every external import is a package that %s names in %s', async (manifest, key, isBound) => {
    const { [key]: named } = JSON.parse(await readFile(join(root, manifest), 'utf8'))
    const wrong = imports.filter(
      ({ from, to }) =>
        isBound(from) && !isOurs(to) && !to.startsWith('node:') && !Object.hasOwn(named, packageOf(to)),
    )
    expect(wrong.map(written)).toEqual([])
  })

  test.each(['simulator', 'dev'])('packages/%s names the versions of package.json', async name => {
    const { devDependencies } = JSON.parse(
      await readFile(join(root, `packages/${name}/package.json`), 'utf8'),
    )
    const all = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'))
    const versions = { ...devDependencies, ...all.devDependencies, ...all.dependencies }
    expect(devDependencies).toMatchObject(
      Object.fromEntries(Object.keys(devDependencies).map(one => [one, versions[one]])),
    )
  })
})

describe('the bundle of the workflows', () => {
  const modules = bundled()

  test('holds only workflows, domain, and Temporal with its own dependencies', async () => {
    const allowed = /^(src\/(workflows|domain)\/|node_modules\/(@temporalio|ms|nexus-rpc|protobufjs|long)\/)/
    expect((await modules).filter(module => !allowed.test(module))).toEqual([])
  })

  test('holds every workflow', async () => {
    const workflows = files.filter(file => file.startsWith('src/workflows/'))
    expect((await modules).filter(module => workflows.includes(module)).length).toBeGreaterThan(8)
  })
})

test('no workflow module holds state that workflows would share', () => {
  expect(statesIn('let asked = 0\nexport const seen = new Set<string>()')).toEqual(['asked', 'seen'])
  expect(statesIn('const kept: string[] = []\nexport const byId: Record<string, string> = {}')).toEqual([
    'kept',
    'byId',
  ])
  const modules = files.filter(file =>
    /^(workflows|workflows\/contracts|domain)$/.test(folderOf(nameOf(file))),
  )
  // The clock of a worker is the same for all its workflows.
  expect(modules.filter(file => statesIn(SOURCES.get(file)!).length > 0)).toEqual([
    'src/workflows/shared/worker-clock.ts',
  ])
})

describe('the code', () => {
  test('reads the environment in the configuration only', () => {
    expect(having(/\bprocess\s*(\.|\?\.|\[\s*['"])\s*env\b/)).toEqual([
      'packages/dev/config.ts',
      'packages/simulator/config.ts',
      'src/config.ts',
    ])
    expect(having(/import\s*\{[^}]*\benv\b[^}]*\}\s*from\s*'(node:)?process'/)).toEqual([])
  })

  test('executes SQL under src/db only', () => {
    const statement =
      /\b(em|tx|inner|fork\(\))\s*\.execute\b|[`'"(]\s*(select [^`]*?\bfrom\b|select \w+\(|select not |insert into \w|update "?[\w$]+.* set |delete from \w|with \w+ as \()/
    expect(statement.test("await em.execute('select state from charge where uuid = ?', [uuid])")).toBe(true)
    expect(statement.test('const sql = `\n  update delivery d set sweep_at = now() from event e`')).toBe(true)
    expect(statement.test('orm.em\n  .fork()\n  .execute(sql)')).toBe(true)
    const others = having(statement).filter(file => !/^(src\/db|packages\/simulator)\//.test(file))
    expect(others).toEqual([])
  })

  test('has no file with a meaningless name', () => {
    const names = /^(utils?|helpers?|common|misc|manager)$/
    const wrong = files.filter(file =>
      nameOf(file)
        .split('/')
        .some(part => names.test(part)),
    )
    expect(wrong.filter(file => file !== 'src/contract/shared/fields.ts')).toEqual([])
  })

  test.each(['src', 'packages/simulator', 'packages/dev'])('exports each name once in %s', folder => {
    const namesOf = (text: string) =>
      [...text.matchAll(/^export (?:async )?(?:const|function\*?|class|type|interface) (\w+)/gm)].map(
        ([, name]) => name!,
      )
    expect(namesOf('export const a = 1\nexport type B = 2\nconst c = 3')).toEqual(['a', 'B'])
    const own = files.filter(file => file.startsWith(`${folder}/`))
    // Overloads of a function are one name.
    const all = own.flatMap(file => [...new Set(namesOf(SOURCES.get(file)!))])
    expect(all.length).toBeGreaterThan(folder === 'src' ? 1_000 : 50)
    expect(all.filter((name, index) => all.indexOf(name) !== index)).toEqual([])
  })

  test('spreads no object literal into another one: the formatter breaks lines', async () => {
    expect(literalSpreadsIn('const a = { ...{ b, c }, ...d, e: { ...{ f } } }')).toBe(2)
    expect(literalSpreadsIn('const a = { ...(b && { c }), ...d }')).toBe(0)
    const folders = ['test', 'docs/tables', 'sdk/typescript']
    const others = await Promise.all(
      folders.map(async folder =>
        (await readdir(join(root, folder), { recursive: true })).map(file => `${folder}/${file}`),
      ),
    )
    const own = others.flat().filter(file => file.endsWith('.ts') && !/node_modules|\/openapi\//.test(file))
    const wrong = files.filter(file => literalSpreadsIn(SOURCES.get(file)!) > 0)
    for (const file of own)
      if (literalSpreadsIn(await readFile(join(root, file), 'utf8')) > 0) wrong.push(file)
    expect(wrong).toEqual([])
  })

  test('has no open TODO', () => {
    expect(files.filter(file => /\b(TODO|FIXME|XXX|HACK)\b/.test(SOURCES.get(file)!))).toEqual([])
  })

  /** Cohesion decides how long a file is; beyond this it is more than one subject. */
  test('has no file of more than 500 lines', () => {
    const isLong = (file: string) => SOURCES.get(file)!.trimEnd().split('\n').length > 500
    expect(files.filter(isLong)).toEqual([])
  })
})

/** What a module declares to be written to later: a `let`, an empty list or record, a collection. */
function statesIn(text: string): string[] {
  const { body } = parseSync(text, SYNTAX)
  return body.flatMap(item => {
    const declared = item.type === 'ExportDeclaration' ? item.declaration : item
    if (declared.type !== 'VariableDeclaration') return []
    return declared.declarations
      .filter(({ init }) => declared.kind !== 'const' || isToBeFilled(init))
      .map(({ id }) => (id.type === 'Identifier' ? id.value : id.type))
  })
}

/** Counts the object literals that a source spreads into another one: `{ ...{ a, b } }`. */
function literalSpreadsIn(text: string): number {
  if (!/\.\.\.\s*\{/.test(text)) return 0
  const spreads = nodesOf(parseSync(text, SYNTAX)).filter(({ type }) => type === 'SpreadElement')
  return spreads.filter(({ arguments: spread }) => (spread as { type?: string }).type === 'ObjectExpression')
    .length
}

function isRegExp(callee: Expression): boolean {
  return callee.type === 'Identifier' && callee.value === 'RegExp'
}

function isToBeFilled(value: Expression | undefined): boolean {
  if (value?.type === 'NewExpression') return !isRegExp(value.callee)
  if (value?.type === 'ArrayExpression') return value.elements.length === 0
  return value?.type === 'ObjectExpression' && value.properties.length === 0
}

/** The files whose code, without its comments, matches a pattern. */
function having(pattern: RegExp): string[] {
  return files.filter(file => pattern.test(withoutComments(SOURCES.get(file)!)))
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '')
}

/** Writes arrows as the table of layers has them. */
function showArrows(allowed: string[] = []): string {
  return allowed.map(one => one.replace(/^(types of )?(.*)$/, '$1`$2`')).join(', ') || 'nothing of ours'
}

function folderOf(name: string): string {
  return INNER_FOLDER.exec(name)?.[0] ?? name.split('/')[0]!
}

function isOurs(name: string): boolean {
  return isSource(name) || name.startsWith('..') || basename(name) === 'package.json'
}

function isAllowed({ from, to, isType }: SourceImport, allowed: string[]): boolean {
  if (folderOf(from) === folderOf(to)) return true
  return allowed.some(one => {
    const path = one.replace('types of ', '')
    return (isType || !one.startsWith('types of ')) && (to === path || to.startsWith(`${path}/`))
  })
}

function packageOf(name: string): string {
  return name.split('/', name.startsWith('@') ? 2 : 1).join('/')
}

function written({ from, to, isType }: SourceImport): string {
  return `${from} → ${to}${isType ? ' (type)' : ''}`
}

/** The modules in the real bundle, by their path from here. */
async function bundled(): Promise<string[]> {
  let modules: string[] = []
  await bundleWorkflowCode({
    ...BUNDLE_OPTIONS,
    webpackConfigHook: config => ({
      ...config,
      plugins: [
        ...(config.plugins ?? []),
        compiler =>
          compiler.hooks.done.tap('modules', stats => {
            modules = [...stats.compilation.modules].map(module => module.nameForCondition() ?? '')
          }),
      ],
    }),
  })
  return modules.filter(module => module !== '').map(module => relative(root, module))
}
