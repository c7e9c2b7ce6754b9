import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { tellBreaker } from '../../../src/db/breaker.ts'
import type { IssueOutcome } from '../../../src/domain/provider.ts'
import { party } from '../../../src/providers/party.ts'
import { openBooks } from '../support/books.ts'

/** A worker that reaches no provider, while another worker does: its charges are issued again and not FAILED. */

let books: Awaited<ReturnType<typeof openBooks>>
beforeAll(async () => {
  books = await openBooks()
})
afterAll(() => books?.close())

const UNREACHABLE: IssueOutcome = {
  kind: 'unreachable',
  code: 'tls_failed',
  message: 'the host could not be reached',
}
const ISSUED: IssueOutcome = {
  kind: 'accepted',
  charge: {
    ...{ payload: 'payload', txid: randomUUID(), pixKey: 'k', receiver: party({}) },
    expiresAt: new Date(Date.now() + 60_000).toISOString(),
  },
}

async function chargeOrder() {
  const merchant = await books.merchant(0)
  const { accountUuid, connectionUuid } = merchant
  const uuid = randomUUID()
  const order = {
    ...{ uuid, accountUuid, valueCents: 1_000, expiresInSeconds: 60, candidates: [connectionUuid] },
    details: books.seal.seal({ splits: [], fingerprint: 'f' }),
    ...{ requestId: 'r', timeScale: 1 },
  }
  return { uuid, connectionUuid, order }
}

test('a charge that never left is issued again while another worker has answers of its candidate', async () => {
  const { uuid, connectionUuid, order } = await chargeOrder()
  const connection = { uuid: connectionUuid, isDistrusted: true }
  const em = books.orm.em.fork()
  await tellBreaker(em, connection, UNREACHABLE)
  await tellBreaker(em, connection, ISSUED, 'another worker')

  books.provider({ issueCharge: async () => UNREACHABLE })
  await expect(books.providers.issueCharge(order)).rejects.toThrow('another worker does')
  expect(await books.sql('select state from charge where uuid = ?', [uuid])).toEqual([{ state: 'issuing' }])
  expect(await books.sql('select state from attempt where subject_uuid = ?', [uuid])).toEqual([])

  books.provider({ issueCharge: async () => ISSUED })
  expect(await books.providers.issueCharge(order)).toMatchObject({ state: 'pending', orphans: [] })
})

test('it fails where no worker reaches its candidate', async () => {
  const { order } = await chargeOrder()
  books.provider({ issueCharge: async () => UNREACHABLE })
  expect(await books.providers.issueCharge(order)).toMatchObject({ state: 'failed' })
})
