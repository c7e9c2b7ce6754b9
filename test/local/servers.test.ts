import { expect, test } from '@jest/globals'
import { Connection } from '@temporalio/client'
import { startPostgres } from '../support/postgres.ts'
import { startTemporal } from '../support/temporal.ts'

test('suites get a database and a Temporal server that knows their search attributes', async () => {
  const [postgres, temporal] = await Promise.all([
    startPostgres(),
    startTemporal([{ name: 'TrilhoAccount', type: 'Keyword' }]),
  ])
  expect(postgres.url).toMatch(/^postgres:\/\/trilho:[\w-]+@127\.0\.0\.1:\d+\/trilho$/)
  const connection = await Connection.connect({ address: temporal.address })
  const { customAttributes } = await connection.operatorService.listSearchAttributes({ namespace: 'default' })
  expect(Object.keys(customAttributes ?? {})).toContain('TrilhoAccount')
  await connection.close()
  await Promise.all([postgres.stop(), temporal.stop()])
})
