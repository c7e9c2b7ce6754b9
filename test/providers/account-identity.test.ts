import { describe, expect, test } from '@jest/globals'
import { okReply, openEfiFixture, UNEXPLAINED_REPLIES } from './support/efi-fixture.ts'
import { openWooviFixture, wooviErrorReply, okReply as wooviOk } from './support/woovi-fixture.ts'

/** The account that credentials belong to, as each provider's API reports it. */

const KEY = '345e4568-e89b-12d3-a456-006655440001'
const account = (accountId: string, isDefault = true) => ({
  ...{ accountId, isDefault, taxId: '11222333000181' },
  balance: { total: 1, blocked: 0, available: 1 },
})

describe('Efí', () => {
  test('identifies an account by its random keys', async () => {
    await using story = await openEfiFixture()
    story.scripted.scriptReplies('GET /v2/gn/evp', okReply({ chaves: [KEY] }))
    expect(await story.provider.identity()).toEqual({ kind: 'found', keys: [KEY] })
  })

  test.concurrent.each(UNEXPLAINED_REPLIES)('answering %s identifies nothing', async (_, reply) => {
    await using story = await openEfiFixture({ reply })
    story.scripted.scriptReplies('GET /v2/gn/evp', reply)
    expect(await story.provider.identity()).toMatchObject({ kind: 'no_answer' })
  })
})

describe('Woovi', () => {
  test('identifies its only account by its id, without a document', async () => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies('GET /api/v1/account/', wooviOk({ accounts: [account('a1')] }))
    expect(await story.provider.identity()).toEqual({ kind: 'found', id: 'a1' })
  })

  test('identifies among several accounts the one that the AppID is linked to', async () => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies(
      'GET /api/v1/account/',
      wooviOk({ accounts: [account('a1'), account('a2', false)] }),
    )
    story.scripted.scriptReplies('GET /api/v1/pix-keys', wooviOk({ pixKeys: [], account: account('a2') }))
    expect(await story.provider.identity()).toEqual({ kind: 'found', id: 'a2' })
  })

  test.each([
    ['no account', wooviOk({ accounts: [] })],
    ['an account without an id', wooviOk({ accounts: [{ isDefault: true }] })],
    ['a refusal', wooviErrorReply('appID inválido', { status: 401 })],
  ])('answering %s identifies nothing', async (_, reply) => {
    await using story = await openWooviFixture()
    story.scripted.scriptReplies('GET /api/v1/account/', reply)
    expect(await story.provider.identity()).toMatchObject({ kind: 'no_answer' })
  })
})
