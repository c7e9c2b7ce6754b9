import { describe, expect, test } from '@jest/globals'
import { okReply, openEfiFixture, UNEXPLAINED_REPLIES } from './support/efi-fixture.ts'
import { openWooviFixture, wooviErrorReply, okReply as wooviOk } from './support/woovi-fixture.ts'

/** The account that credentials belong to, as each provider's API reports it. */

const KEY = '345e4568-e89b-12d3-a456-006655440001'
const account = (accountId: string, isDefault = true) => ({
  accountId,
  isDefault,
  taxId: '11222333000181',
  balance: { total: 1, blocked: 0, available: 1 },
})

describe('Efí', () => {
  test('identifies an account by its random keys', async () => {
    await using story = await openEfiFixture()
    story.scripted.scriptReplies('GET /v2/gn/evp', okReply({ chaves: [KEY] }))
    expect(await story.provider.identity()).toEqual({ kind: 'found', keys: [KEY] })
  })

  const tokenOf = (payload: string) => `e30.${Buffer.from(payload).toString('base64url')}.signature`
  test.each([
    ['names the account', tokenOf('{"type":"access_token","account_code":"a1"}'), 'a1'],
    ['names no account', tokenOf('{"type":"access_token"}'), undefined],
    ['has another shape', tokenOf('account_code'), undefined],
    ['is opaque', 'opaque', undefined],
  ])('an access token that %s', async (_, access_token, code) => {
    await using story = await openEfiFixture()
    story.scripted.scriptReplies('POST /oauth/token', okReply({ access_token, expires_in: 3600 }))
    story.scripted.scriptReplies('GET /v2/gn/evp', okReply({ chaves: [KEY] }))
    const host = new URL(story.scripted.url).host
    expect(await story.provider.identity()).toEqual({
      kind: 'found',
      keys: [KEY],
      ...(code && { code: `${host} ${code}` }),
    })
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
