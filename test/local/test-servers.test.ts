import { expect, test } from '@jest/globals'
import { Client, Connection } from '@temporalio/client'
import { defineSearchAttributeKey } from '@temporalio/common'
import { waitUntil } from '../../src/startup/wait-until.ts'
import { waitForTemporal } from '../../src/temporal/readiness.ts'
import { openTestOrm } from '../support/orm.ts'
import { startPostgres } from '../support/postgres.ts'
import { startTemporal } from '../support/temporal.ts'

test('suites get a database and a Temporal server with their search attributes', async () => {
  const [postgres, temporal] = await Promise.all([
    startPostgres(),
    startTemporal([{ name: 'TrilhoAccount', type: 'KEYWORD' }]),
  ])
  expect(postgres.url).toMatch(/^postgres:\/\/trilho:[\w-]+@127\.0\.0\.1:\d+\/trilho$/)
  const connection = await Connection.connect({ address: temporal.address })
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' })
  expect(Object.keys(customAttributes ?? {})).toContain('TrilhoAccount')
  await connection.close()
  await Promise.all([postgres.stop(), temporal.stop()])
})

test('a value refused by PostgreSQL is not quoted in its log', async () => {
  const { url, stop, log } = await startPostgres()
  const orm = await openTestOrm({ databaseUrl: url })
  try {
    await orm.em.execute(`create table payer (document text unique)`)
    const insert = () => orm.em.execute('insert into payer values (?)', ['52998224725'])
    await insert()
    await expect(insert()).rejects.toThrow(/duplicate key/)
    // Its log comes through a pipe, perhaps later than its answer.
    const isWritten = () => /ERROR: .*duplicate key/.test(log())
    await waitUntil(isWritten, { description: 'the refusal is in no log', limitMs: 60_000 })
  } finally {
    await orm.close()
    await stop()
  }
  expect(log()).not.toContain('52998224725')
})

test('a server without one of our search attributes gets it, and the next workflow may set it', async () => {
  const { address, namespace, stop } = await startTemporal()
  await using open = new AsyncDisposableStack()
  open.defer(stop)
  const searchAttributes = [{ name: 'TrilhoValueCents', type: 'INT' }] as const
  await waitForTemporal({ address }, { namespace, searchAttributes })
  const connection = await Connection.connect({ address })
  open.defer(() => connection.close())
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace })
  expect(customAttributes?.TrilhoValueCents).toBe(3) // A whole number, in Temporal's numbering.
  const started = new Client({ connection, namespace }).workflow.start('aLife', {
    workflowId: 'one',
    taskQueue: 'nobody',
    typedSearchAttributes: [{ key: defineSearchAttributeKey('TrilhoValueCents', 'INT'), value: 1 }],
  })
  await expect(started).resolves.toMatchObject({ workflowId: 'one' })
})
