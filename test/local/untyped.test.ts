import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from '@jest/globals'

/** The program that strips types ahead of time, in a project of its own. */

let root: string
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'trilho untyped-'))
  await mkdir(join(root, 'src'))
  await cp(join(import.meta.dirname, '../../src/untyped.mjs'), join(root, 'src/untyped.mjs'))
  await writeFile(join(root, 'package.json'), '{"type":"module"}')
  await writeFile(join(root, 'src/part.ts'), `export type Name = string\nexport const name: Name = 'first'\n`)
  await writeFile(
    join(root, 'src/main.ts'),
    `import { type Name, name } from './part.ts'
const said: Name = name
const compiled = process.moduleLoadList.some(one => one.includes('amaro'))
console.log(JSON.stringify({ said, compiled, at: new Error().stack!.match(/main.ts:\\d+:\\d+/)![0] }))`,
  )
})
afterEach(() => rm(root, { recursive: true }))

async function run() {
  const { href } = pathToFileURL(join(root, 'src/untyped.mjs'))
  const env = { ...process.env, NODE_OPTIONS: `--import ${href}` }
  const { stdout } = await promisify(execFile)(process.execPath, [join(root, 'src/main.ts')], { env })
  return JSON.parse(stdout)
}
const listCachedFiles = () => readdir(join(root, 'node_modules/.cache/trilho-untyped'))

test('a program runs without the compiler from its first start, and reports original positions', async () => {
  const at = 'main.ts:4:50'
  expect(await run()).toEqual({ said: 'first', compiled: false, at })
  expect(await run()).toEqual({ said: 'first', compiled: false, at })
  expect(await listCachedFiles()).toEqual([
    expect.stringMatching(/^\w{64}\.js$/),
    expect.stringMatching(/^\w{64}\.js$/),
  ])
})

test('a file that has changed is stripped anew', async () => {
  await run()
  await writeFile(
    join(root, 'src/part.ts'),
    `export type Name = string\nexport const name: Name = 'second'\n`,
  )
  expect(await run()).toMatchObject({ said: 'second', compiled: false })
  expect(await listCachedFiles()).toHaveLength(3)
})

test('where nothing can be stored, Node strips the types itself', async () => {
  await writeFile(join(root, 'node_modules'), '')
  expect(await run()).toMatchObject({ said: 'first', compiled: true })
})
