import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { CallerToken } from '../../../src/api/authorization/authenticate.ts'
import { listCharges } from '../../../src/api/operations/charges.ts'
import { listTransfers } from '../../../src/api/operations/transfers.ts'
import { chargesQuery } from '../../../src/contract/charges/charge.ts'
import { transfersQuery } from '../../../src/contract/transfers/transfer.ts'
import type { EntityManager } from '../../../src/db/client/orm.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { createFullAccount } from '../support/full-account.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'

/** Which statements of lists PostgreSQL keeps prepared. */

let fixture: ApiFixture
let token: CallerToken
beforeAll(async () => {
  fixture = await openApiFixture([])
  const { account: accountUuid } = await createFullAccount(fixture)
  token = { accountUuid, connectionUuid: null } as CallerToken
})
afterAll(() => fixture?.close())

const LISTS = {
  charge: (em: EntityManager, query: object) => listCharges(em, token, chargesQuery.parse(query)),
  transfer: (em: EntityManager, query: object) => listTransfers(em, token, transfersQuery.parse(query)),
}

test.each(['charge', 'transfer'] as const)(
  'the first page of an unfiltered %s list is one prepared statement for all sizes, other pages are none',
  async noun => {
    const { orm, captured, close } = await openCapturedOrm(fixture.config.databaseUrl)
    try {
      const list = async (query: object) => (await LISTS[noun](orm.em.fork(), query)).data
      const first = await list({ per_page: '1' })
      expect((await list({ per_page: '100' })).slice(0, 1)).toEqual(first)
      await list({ page: '2', per_page: '1' })
      await list({ status: 'PAID' })
      await list({ date_from: '2026-01-01' })
      const ofRows = captured.kept.filter(text => text.includes(`join ${noun} `))
      expect(ofRows).toHaveLength(1)
    } finally {
      await close()
    }
  },
)
