import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { buildOnce } from '../../packages/dev/binaries/temporal-binary.ts'
import { readLocalConfig } from '../../packages/dev/config.ts'
import { createTemporaryFolder } from '../support/servers.ts'

/**
 * Clients that foreign generators write from `openapi.json` with their defaults compile, and have every operation: of
 * openapi-generator, where Java, Maven and Go are installed, and of openapi-typescript. What has broken them is looked for without them.
 */

const GENERATOR = 'org.openapitools:openapi-generator-cli:7.17.0'
const DOCUMENT = join(import.meta.dirname, '../../openapi.json')
/** Of the package that has openapi-typescript and the TypeScript that it works with. */
const resolveForSdk = createRequire(join(import.meta.dirname, '../../sdk/typescript/package.json')).resolve

type Operation = {
  operationId: string
  requestBody?: { content: Record<string, { schema: { $ref?: string }; example: Record<string, unknown> }> }
}

let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
let document: {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, { required?: string[] }> }
}
beforeAll(async () => {
  folder = await createTemporaryFolder()
  document = JSON.parse(await readFile(DOCUMENT, 'utf8'))
})
afterAll(() => folder?.remove())

test('a Go client of openapi-generator compiles and has every operation', async () => {
  const jar = await findGenerator()
  if (!jar) return
  const client = join(folder.path, 'go')
  await run('java', ['-jar', jar, 'generate', '-i', DOCUMENT, '-g', 'go', '-o', client])
  await run('go', ['build', './...'], { cwd: client })
  const { stdout: methods } = await run('grep', ['-rhoE', '^func \\(a \\*\\w+\\) \\w+', client])
  for (const { operationId } of operations()) expect(methods).toMatch(new RegExp(`\\) ${operationId}$`, 'im'))
})

test('the types of openapi-typescript compile, with bodies of required fields only', async () => {
  const client = join(folder.path, 'typescript')
  await mkdir(client)
  const program = join(dirname(resolveForSdk('openapi-typescript/package.json')), 'bin/cli.js')
  await run(process.execPath, [program, DOCUMENT, '-o', join(client, 'api.ts')])
  await writeFile(join(client, 'bodies.ts'), buildLeastBodies())
  const compiler = join(dirname(resolveForSdk('typescript/package.json')), 'bin/tsc')
  const options = ['--strict', '--noEmit', '--module', 'nodenext', '--target', 'es2022']
  await run(process.execPath, [compiler, ...options, join(client, 'bodies.ts')])
})

/** Shapes of a document with which generators wrote clients that did not compile, or lost an operation; each with an example. */
const TRAPS: [trap: string, document: object][] = [
  [
    'the type null alone',
    { components: { schemas: { Initiation: { properties: { txid: { type: 'null' } } } } } },
  ],
  ['alternatives beside the format of a file', { content: { schema: { anyOf: [{}], format: 'binary' } } }],
  ['a default', { components: { schemas: { Body: { properties: { expires_in: { default: 60 } } } } } }],
  [
    'the tag events of a path and of webhooks',
    {
      paths: { '/events': { get: { tags: ['events'] } } },
      webhooks: { PAYMENT: { post: { tags: ['events'] } } },
    },
  ],
]

test.each(TRAPS)('%s is found in a document', (trap, planted) => expect(listTraps(planted)).toEqual([trap]))

test('the document has no shape that generators make a wrong client of', () => {
  expect(listTraps(document)).toEqual([])
})

function listTraps(part: object): string[] {
  const found = new Set<string>()
  /** `parent`: the member that holds the node; the names below `properties` are those of fields. */
  function visit(node: unknown, parent: string): void {
    if (typeof node !== 'object' || node === null || /^examples?$/.test(parent)) return
    const schema = node as Record<string, unknown>
    const isSchema = !['properties', 'schemas', 'responses'].includes(parent)
    if (isSchema && schema.type === 'null' && parent !== 'anyOf') found.add('the type null alone')
    if (isSchema && schema.format === 'binary' && (schema.anyOf || schema.oneOf))
      found.add('alternatives beside the format of a file')
    if (isSchema && 'default' in schema) found.add('a default')
    for (const [name, inner] of Object.entries(schema))
      if (Array.isArray(inner)) for (const one of inner) visit(one, name)
      else visit(inner, isSchema ? name : '')
  }
  visit(part, '')
  const { paths = {}, webhooks = {} } = part as Record<
    string,
    Record<string, Record<string, { tags?: string[] }>>
  >
  const tagsOf = (group: typeof paths) =>
    Object.values(group).flatMap(methods => Object.values(methods).flatMap(({ tags = [] }) => tags))
  const received = new Set(tagsOf(webhooks))
  for (const tag of tagsOf(paths))
    if (received.has(tag)) found.add(`the tag ${tag} of a path and of webhooks`)
  return [...found]
}

/** Writes a program with the least body of every request: those of its fields that the document calls required. */
function buildLeastBodies(): string {
  const bodies = operations().flatMap(({ operationId, requestBody }) => {
    const { schema, example = {} } = requestBody?.content['application/json'] ?? { schema: {} }
    const name = schema.$ref?.split('/').at(-1)
    if (name === undefined) return []
    const required = document.components.schemas[name]?.required ?? []
    const least = Object.fromEntries(required.map(field => [field, example[field]]))
    return `export const ${operationId}: components['schemas']['${name}'] = ${JSON.stringify(least)}\n`
  })
  expect(bodies.length).toBeGreaterThan(5)
  return `import type { components } from './api.js'\n${bodies.join('')}`
}

function operations(): Operation[] {
  return Object.values(document.paths).flatMap(methods => Object.values(methods))
}

/** Returns the generator in this machine's cache, which Maven fetches at its first use; prints why there is none. */
async function findGenerator(): Promise<string | undefined> {
  const [, name, version] = GENERATOR.split(':')
  const cache = join(readLocalConfig().cacheHome, 'trilho', `${name}-${version}`)
  const jar = join(cache, `${name}-${version}.jar`)
  try {
    await run('go', ['version'])
    const isBuilt = () => run('java', ['-jar', jar, 'version']).then(Boolean, () => false)
    if (!(await isBuilt())) {
      const print = (line: string) => void process.stdout.write(`${line}\n`)
      await buildOnce(cache, { isBuilt, print }, async emptyFolder => {
        const artifact = [`-Dartifact=${GENERATOR}`, `-DoutputDirectory=${emptyFolder}`]
        await run('mvn', ['-q', '-B', 'dependency:copy', ...artifact])
      })
    }
    return jar
  } catch (error) {
    const { stderr = '', message } = error as { stderr?: string; message: string }
    process.stdout.write(`openapi-generator is skipped: ${(stderr || message).trim().split('\n').at(-1)}\n`)
    return undefined
  }
}

/** Runs a program; its output is the error of a failure. Maven and Go fetch what they need at their first use. */
async function run(command: string, args: string[], { cwd = folder.path } = {}) {
  return promisify(execFile)(command, args, { cwd, timeout: 240_000, maxBuffer: 1 << 26 }).catch(error => {
    throw Object.assign(error, { message: `${error.message}\n${error.stdout}` })
  })
}
