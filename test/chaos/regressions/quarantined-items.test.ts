import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { reconcile } from '../../../src/activities/reconciliation/reconcile.ts'
import { storeUnexplainedAnswer } from '../../../src/db/repositories/unexplained-answers.ts'
import type { StatementEntry } from '../../../src/domain/providers/provider.ts'
import type { Provider } from '../../../src/providers/port.ts'
import { WORKFLOWS } from '../../../src/workflows/contracts/workflows.ts'
import { openActivityFixture } from '../support/activity-fixture.ts'

/** A list item that cannot be parsed is listed again by each reconciliation, until a release parses it. */

let fixture: Awaited<ReturnType<typeof openActivityFixture>>
beforeAll(async () => {
  fixture = await openActivityFixture()
})
afterAll(() => fixture?.close())

const DAY_MS = 86_400_000
/** The same day at each call, also where midnight passes. */
const NOW = Date.now()
const ago = (days: number) => new Date(NOW - days * DAY_MS).toISOString()

async function anAccount() {
  const { connectionUuid } = await fixture.createMerchant(0)
  const [row] = await fixture.sql<{ uuid: string }>(
    'select provider_account_uuid as uuid from connection where uuid = ?',
    [connectionUuid],
  )
  return {
    connectionUuid,
    look: () =>
      reconcile(fixture.dependencies)({
        providerAccountUuid: row!.uuid,
        from: ago(2),
        to: new Date().toISOString(),
      }),
    leaveOut: (operation: string) =>
      storeUnexplainedAnswer(fixture.orm.em.fork(), {
        connectionUuid,
        operation,
        reference: null,
        kind: 'unreadable_item',
        status: 200,
        name: '',
        sealedBody: 'sealed',
        isCut: false,
        digest: 'd',
        period: { from: ago(10), to: ago(8) },
      }),
    async unresolved() {
      const rows = await fixture.sql<object>(
        'select operation from unexplained_answer where connection_uuid = ? and resolved_at is null',
        [connectionUuid],
      )
      return rows.length
    },
  }
}

test('a statement item is listed again in its period, and recorded once it can be parsed', async () => {
  const account = await anAccount()
  const endToEnd = `E${'5'.repeat(31)}`
  const entry: StatementEntry = {
    endToEnd,
    reference: null,
    direction: 'IN',
    cents: 700,
    at: ago(9),
  }
  const asked: string[] = []
  let isReadable = false
  const statement: Provider['statement'] = async from => {
    asked.push(from.slice(0, 10))
    const isOld = Date.parse(from) < Date.now() - 5 * DAY_MS
    if (isOld && !isReadable) await account.leaveOut('statement')
    return { kind: 'found', entries: isOld && isReadable ? [entry] : [] }
  }
  fixture.scriptProvider({ statement, listDisputes: async () => ({ kind: 'found', disputes: [] }) })
  await account.leaveOut('statement')

  expect(await account.look()).toMatchObject({ repaired: 0 })
  expect(asked).toEqual([ago(2).slice(0, 10), ago(10).slice(0, 10)])
  expect(await account.unresolved()).toBe(1)

  isReadable = true
  expect(await account.look()).toMatchObject({ repaired: 1 })
  expect(fixture.signalledWorkflowIds).toEqual([
    WORKFLOWS.deposit.idOf(`${account.connectionUuid}/${endToEnd}`),
  ])
  expect(await account.unresolved()).toBe(0)

  asked.length = 0
  await account.look()
  expect(asked).toHaveLength(1)
})

test('a dispute is listed again in its period; an unanswered list resolves nothing', async () => {
  const account = await anAccount()
  await account.leaveOut('listDisputes')
  const asked: string[] = []
  let isThere = false
  fixture.scriptProvider({
    statement: async () => ({ kind: 'found', entries: [] }),
    async listDisputes(from) {
      asked.push(from.slice(0, 10))
      const isOld = Date.parse(from) < Date.now() - 9 * DAY_MS
      return isOld && !isThere
        ? { kind: 'no_answer', code: 'timeout', message: 'no answer' }
        : { kind: 'found', disputes: [] }
    },
  })
  await account.look()
  expect(asked).toContain(ago(10).slice(0, 10))
  expect(await account.unresolved()).toBe(1)
  isThere = true
  await account.look()
  expect(await account.unresolved()).toBe(0)
})
