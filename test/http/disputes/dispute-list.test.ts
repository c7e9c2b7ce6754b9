import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { disputeRoutes } from '../../../src/api/disputes/routes.ts'
import { listCharges } from '../../../src/api/operations/charges.ts'
import { listDisputes } from '../../../src/api/operations/disputes.ts'
import { chargesQuery } from '../../../src/contract/charges/charge.ts'
import { disputesQuery } from '../../../src/contract/disputes/dispute.ts'
import { type ApiFixture, openApiFixture } from '../support/api-fixture.ts'
import { insertDispute } from '../support/dispute-rows.ts'
import { openCapturedOrm } from '../support/postgres-messages.ts'

/** What a page of disputes reads: each with its PIX, its provider and its attachments. */

let fixture: ApiFixture
let account: { uuid: string; connection: string; token: string }

beforeAll(async () => {
  fixture = await openApiFixture([disputeRoutes])
  const uuid = await fixture.insertAccount()
  const connection = await fixture.insertConnection(uuid)
  account = { uuid, connection, token: await fixture.insertToken({ accountUuid: uuid }) }
})
afterAll(() => fixture.close())

test('a dispute is listed as its GET shows it, with its attachments in their order', async () => {
  const uuid = await insertDispute(fixture, { connection: account.connection, hasReply: true })
  for (const [reply, position] of [
    [2, 0],
    [1, 1],
    [1, 0],
  ])
    await fixture.orm.em.execute(
      `insert into attachment (uuid, dispute_uuid, reply, position, name, content_type, bytes, storage_key, created_at)
       values (?, ?, ?, ?, 'a.pdf', 'application/pdf', 9, ?, now())`,
      [randomUUID(), uuid, reply, position, `meds/${uuid}/${reply}-${position}.pdf`],
    )
  const { token } = account
  const [listed] = (await fixture.call('GET', '/api/v1/meds', { token })).body.data
  expect(listed).toEqual((await fixture.call('GET', `/api/v1/meds/${uuid}`, { token })).body.data)
  const places = listed.attachments.map(({ url }: { url: string }) => /(\d-\d)\.pdf/.exec(url)?.[1])
  expect(places).toEqual(['1-0', '1-1', '2-0'])
})

test('a page of disputes takes as many statements as a page of charges', async () => {
  await insertDispute(fixture, { connection: account.connection })
  const { orm, captured, close } = await openCapturedOrm(fixture.config.databaseUrl)
  try {
    const token = { accountUuid: account.uuid, connectionUuid: null, modeScope: 'test' } as never
    const { storage } = fixture.dependencies
    const countStatements = async (list: () => Promise<unknown>) => {
      await list() // Once more for the connection's own statements.
      captured.forget()
      await list()
      return captured.statements.length
    }
    const em = orm.em.fork()
    const ofCharges = await countStatements(() => listCharges(em, token, chargesQuery.parse({ cursor: '' })))
    expect(ofCharges).toBeGreaterThan(0)
    expect(
      await countStatements(() => listDisputes(em, storage, token, disputesQuery.parse({ cursor: '' }))),
    ).toBe(ofCharges)
  } finally {
    await close()
  }
})
