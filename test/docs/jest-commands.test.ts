import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from '@jest/globals'
import jestConfig from '../../jest.config.mjs'
import { JEST_RUNS } from '../runs.ts'
import { findSuitesOf } from '../support/suites.ts'
import { ROOT } from './support/documents.ts'

/** A command of jest in a document runs what the document says, and nothing else. */

const COMMAND = /\bnpm run (?:-s )?(?:one|jest)\b[^`\n]*/g
const SUITE_COMMAND = /\bnpm run (?:-s )?test:([a-z-]+)/g

const documents = [
  ...(await readdir(ROOT)).filter(file => file.endsWith('.md')),
  ...(await readdir(join(ROOT, 'docs'), { recursive: true }))
    .filter(file => file.endsWith('.md'))
    .map(file => `docs/${file}`),
]
const texts = await Promise.all(documents.map(file => readFile(join(ROOT, file), 'utf8')))
const findAll = (pattern: RegExp) => [
  ...new Set(texts.flatMap(text => [...text.matchAll(pattern)].map(found => (found[1] ?? found[0]).trim()))),
]
const commands = findAll(COMMAND)

test('the documents name commands that run files', () => {
  expect(commands.length).toBeGreaterThan(3)
})

test.each(commands)('%s runs the files that it names', async command => {
  const named = command.split(' ').filter(word => word.endsWith('.test.ts'))
  expect(named.length).toBeGreaterThan(0)
  expect(await listTests(command)).toEqual(named.sort())
})

test('a path behind --selectProjects runs other files, and is found', async () => {
  const listed = await listTests('npm run jest -- --selectProjects docs test/docs/guide.test.ts')
  expect(listed.length).toBeGreaterThan(1)
})

const names = jestConfig.projects.map(({ displayName }) => displayName)

test('every suite is run by npm test once, or by npm run test:nightly', () => {
  const runByTest = JEST_RUNS.flat().flatMap(({ projects }) => projects)
  expect([...runByTest, 'nightly'].sort()).toEqual([...names].sort())
})

test('every file of tests belongs to one suite', async () => {
  const files = (await readdir(join(ROOT, 'test'), { recursive: true }))
    .filter(file => file.endsWith('.test.ts'))
    .map(file => `test/${file}`)
  expect(files.filter(file => findSuitesOf(file).length !== 1)).toEqual([])
})

describe('a suite that a document names', () => {
  test.each(findAll(SUITE_COMMAND))('%s is a project with a script that runs it', async name => {
    expect(names).toContain(name)
    const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'))
    expect(scripts[`test:${name}`]).toMatch(new RegExp(`^npm run -s jest -- --selectProjects ${name} --`))
  })
})

test.each([
  ['no file', [], /^Usage/],
  ['a file that does not exist', ['test/http/none.test.ts'], /^There is no file/],
  ['a file that is no test', ['test/one.ts'], /is a test of no project/],
  ['files of several suites', ['test/docs/guide.test.ts', 'test/domain/webhooks/webhook.test.ts'], /several/],
])('npm run one refuses %s', async (_, files, message) => {
  const refusal = runOne(files)
  await expect(refusal).rejects.toMatchObject({ code: 2, stderr: expect.stringMatching(message) })
})

/** Lists the tests that a command would run, by jest itself. */
async function listTests(command: string): Promise<string[]> {
  const [, , name, ...args] = command.replace('run -s ', 'run ').split(' ')
  const { stdout } = await promisify(execFile)(
    'npm',
    ['run', '-s', name!, '--', ...args.filter(arg => arg !== '--'), '--listTests'],
    { cwd: ROOT },
  )
  const files = stdout.split('\n').filter(line => existsSync(line) && line !== '')
  return files.map(file => relative(ROOT, file)).sort()
}

function runOne(args: string[]) {
  return promisify(execFile)(process.execPath, ['test/one.ts', ...args], { cwd: ROOT })
}
