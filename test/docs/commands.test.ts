import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { reserveFreePort } from '../../packages/dev/os/ports.ts'
import { createTemporaryFolder } from '../support/servers.ts'
import { type Stack, startStack } from '../support/stack.ts'
import {
  blocksOf,
  documents,
  findJsonDifferences,
  matchesOutput,
  ROOT,
  type ShellBlock,
} from './support/documents.ts'
import { createClone, runInOneShell } from './support/shell.ts'

/**
 * Every command of README.md and docs/, in a real shell beside a running `npm start`: each document is one session, each
 * block must succeed and print what the document says it prints.
 */

/** Of the receivers in the documents; the tests use a free port instead. */
const RECEIVER_PORT = '4242'

/** The Portuguese pages of the guide have the same commands: test/docs/guide.test.ts. */
const isTranslation = (file: string) => file.startsWith('docs/guide/pt/')

const all = documents
  .filter(({ file }) => !isTranslation(file))
  .map(document => ({ file: document.file, blocks: blocksOf(document) }))

let stack: Stack
let folder: Awaited<ReturnType<typeof createTemporaryFolder>>
let clone: string
let receiver: Awaited<ReturnType<typeof reserveFreePort>>
beforeAll(async () => {
  receiver = await reserveFreePort()
  ;[stack, folder] = await Promise.all([startStack(), createTemporaryFolder()])
  clone = await createClone(folder.path, stack.home)
})
afterAll(async () => {
  await stack?.stop()
  await folder?.remove()
  receiver?.release()
})

describe.each(all.filter(({ blocks }) => blocks.some(isRun)))('$file', ({ blocks }) => {
  test('every command does what the document says', async () => {
    const run = blocks.filter(isRun)
    const ran = await runInOneShell(
      clone,
      run.map(block => block.script.replaceAll(RECEIVER_PORT, String(receiver.port))),
      AbortSignal.timeout(200_000),
    )
    const wrong = run.flatMap((block, index) => complaintOf(block, ran[index]!))
    expect(wrong).toEqual([])
  })
})

test('a command that no test can run names the test that covers it', () => {
  const covered = all.flatMap(({ blocks }) => blocks).filter(block => !isRun(block))
  expect(covered.length).toBeGreaterThan(0)
  const wrong = covered.filter(
    ({ coveringTest: covered }) => !/\.test\.ts$/.test(covered!) || !existsSync(join(ROOT, covered!)),
  )
  expect(wrong).toEqual([])
})

test('no placeholder is left for the reader to fill in', () => {
  const blanks = all
    .flatMap(({ blocks }) => blocks)
    .filter(({ script }) => /<[a-z][\w -]*>|…|\.\.\./.test(script))
  expect(blanks).toEqual([])
})

function isRun({ coveringTest: covered }: ShellBlock): boolean {
  return covered === null
}

function complaintOf(
  { number, script, expectedOutput: shows, expectedJson }: ShellBlock,
  { output, isDone }: { output: string; isDone: boolean },
) {
  const report = `block ${number}:\n${script}\n--- printed:\n${output}`
  if (!isDone) return [`It failed, or was not reached. ${report}`]
  if (expectedJson !== null)
    return findJsonDifferences(JSON.parse(output), JSON.parse(expectedJson)).map(
      difference => `${difference}: ${report}`,
    )
  if (shows === null) return output === '' ? [] : [`It prints what the document does not show. ${report}`]
  return matchesOutput(output, shows) ? [] : [`It should print:\n${shows}\n--- ${report}`]
}
