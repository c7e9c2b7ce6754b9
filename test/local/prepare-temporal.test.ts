import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { Connection } from '@temporalio/client'
import { SEARCH_ATTRIBUTES } from '../../src/workflows/contracts/search-attributes.ts'
import { startTemporal } from '../support/temporal.ts'

/** A server without Trilho's namespace and search attributes, as a new cluster is. */
let temporal: Awaited<ReturnType<typeof startTemporal>>
beforeAll(async () => {
  temporal = await startTemporal()
})
afterAll(() => temporal?.stop())

test('a new cluster gets a namespace and the search attributes; a second run changes nothing', async () => {
  const prepare = async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['src/cli.ts', 'prepare-temporal', '--retention-days', '45'],
      {
        cwd: join(import.meta.dirname, '../..'),
        env: {
          DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none',
          TEMPORAL_ADDRESS: temporal.address,
          TEMPORAL_NAMESPACE: 'payments',
          TRILHO_SECRET_KEY: `a:${randomBytes(32).toString('base64')}`,
        },
      },
    )
    return JSON.parse(stdout)
  }
  expect(await prepare()).toMatchObject({ namespace: 'payments', made: true })
  expect(await prepare()).toMatchObject({ namespace: 'payments', made: false })

  const connection = await Connection.connect({ address: temporal.address })
  const [{ config }, { customAttributes }] = await Promise.all([
    connection.workflowService.describeNamespace({ namespace: 'payments' }),
    connection.operatorService.listSearchAttributes({ namespace: 'payments' }),
  ])
  await connection.close()
  expect(Number(config?.workflowExecutionRetentionTtl?.seconds)).toBe(45 * 86_400)
  const names = Object.values(SEARCH_ATTRIBUTES).map(({ name }) => name)
  expect(Object.keys(customAttributes ?? {})).toEqual(expect.arrayContaining(names))
})
