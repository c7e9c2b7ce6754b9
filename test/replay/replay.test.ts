import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, test } from '@jest/globals'
import { type History, historyFromJSON } from '@temporalio/common/lib/proto-utils.js'
import type { WorkflowBundleOption } from '@temporalio/worker'
import { DeterminismViolationError } from '@temporalio/workflow'
import * as disputeFiles from '../../src/workflows/index.ts'
import { type NamedHistory, prepareReplay, replayFailures } from '../support/history-replay.ts'
import { historiesFolder } from '../support/workflow-story-recording.ts'

/** The code must still replay what running workflows did under earlier versions: `RECORD_HISTORIES=1` adds histories. */

const files = (await readdir(historiesFolder, { recursive: true }))
  .filter(file => file.endsWith('.json'))
  .sort()
const texts = new Map(
  await Promise.all(
    files.map(async file => [file, await readFile(join(historiesFolder, file), 'utf8')] as const),
  ),
)

let bundle: WorkflowBundleOption
beforeAll(async () => {
  bundle = await prepareReplay()
})

test('protobufjs is installed once: a second copy would not know the types of the first', () => {
  expect(historyFromJSON({ events: [] }).events).toEqual([])
})

test('every workflow that the worker runs has recorded histories', async () => {
  expect([...new Set(files.map(file => dirname(file)))].sort()).toEqual(Object.keys(disputeFiles).sort())
})

test('every recorded history replays', async () => {
  expect(files.length).toBeGreaterThan(50)
  expect(
    await thoseThatDoNotReplay(files.map(file => ({ workflowId: file, history: historyOf(file) }))),
  ).toEqual([])
})

test('a dispute, whose update handlers run concurrently with its own steps, schedules no local activity', () => {
  const disputeFiles = files.filter(
    file => file.startsWith('disputeWorkflow/') && !file.includes('-by-local-steps'),
  )
  expect(disputeFiles.length).toBeGreaterThan(10)
  // Found by a storm: a reply's local activity completed concurrently with a poll, and came before it when the workflow was
  // replayed.
  expect(disputeFiles.filter(file => texts.get(file)!.includes('core_local_activity'))).toEqual([])
})

describe('the replay check', () => {
  const story = 'transferWorkflow/a-transfer-that-settles-immediately-is-paid-with-its-event.json'

  test('finds a workflow that would now schedule another activity', async () => {
    const history = historyOf(story)
    const scheduled = history.events?.find(event => event.activityTaskScheduledEventAttributes)
    scheduled!.activityTaskScheduledEventAttributes!.activityType!.name = 'payTwice'
    expect(await thoseThatDoNotReplay([{ workflowId: 'changed', history }])).toEqual(['changed'])
  })
})

describe('recorded histories', () => {
  const forbidden = [
    ['a token or secret', /trl_(live|test)_|whsec_|-----BEGIN|client_secret|password(?!Reset|-reset)/],
    ['an address for mail', /[\w.+-]+@[\w-]+(\.[a-z]{2,})+/i],
    ['a CPF or CNPJ', /(?<![\w-]|"seconds":)(\d{11}|\d{14}|\d{3}\.\d{3}\.\d{3}-\d{2})(?![\w-])/],
    ['a BR Code', /br\.gov\.bcb\.pix/i],
    [
      'a name, document or key in the open',
      /"(name|document|pix_?key|payer|receiver|sender|payload|phone|email)"\s*:/i,
    ],
    ['where it was recorded', /\/(home|root|work|Users|tmp)\//],
  ] as const

  test.each(forbidden)('hold nowhere %s', (_, pattern) => {
    expect(files.filter(file => pattern.test(spelledOut(JSON.parse(texts.get(file)!))))).toEqual([])
  })

  test('are searched inside of payloads too', () => {
    const data = Buffer.from('{"document":"52998224725"}').toString('base64')
    const text = spelledOut({ events: [{ input: { payloads: [{ data }] } }] })
    expect(forbidden.filter(([, pattern]) => pattern.test(text)).map(([what]) => what)).toEqual([
      'a CPF or CNPJ',
      'a name, document or key in the open',
    ])
  })
})

async function thoseThatDoNotReplay(histories: NamedHistory[]): Promise<string[]> {
  const failed: string[] = []
  for await (const { workflowId, error } of replayFailures(bundle, histories)) {
    if (!(error instanceof DeterminismViolationError)) throw error
    failed.push(workflowId)
  }
  return failed
}

function historyOf(file: string): History {
  const text = texts.get(file)
  if (!text)
    throw new Error(`There is no ${file}: record the stories with RECORD_HISTORIES=1 npm run test:workflows`)
  return historyFromJSON(JSON.parse(text))
}

/** All texts of a history, payloads decoded, without the names that Temporal itself gives. */
function spelledOut(value: unknown): string {
  if (Array.isArray(value)) return value.map(spelledOut).join('\n')
  if (typeof value !== 'object' || value === null) return String(value)
  return Object.entries(value)
    .map(([key, inner]) =>
      key === 'data' && typeof inner === 'string'
        ? Buffer.from(inner, 'base64').toString()
        : spelledOut(inner),
    )
    .join('\n')
}
