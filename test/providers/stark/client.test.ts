import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import { Ecdsa, PublicKey, Signature } from 'starkbank-ecdsa'
import { starkCredentialsSchema } from '../../../src/providers/stark/client.ts'
import type { ReceivedRequest } from '../support/scripted-provider.ts'
import {
  brcodeOf,
  CHARGE_REFERENCE,
  createStarkKeys,
  depositOf,
  NOW,
  okReply,
  openStarkFixture,
  ownKeys,
  starkCredentials,
} from '../support/stark-fixture.ts'

/** Judges a request as Stark Bank does, by Stark Bank's own library. */
function isSignedRequest({ headers, body }: ReceivedRequest, message?: string): boolean {
  const signed = message ?? `${headers['access-id']}:${headers['access-time']}:${body}`
  const signature = Signature.fromBase64(String(headers['access-signature']))
  return Ecdsa.verify(signed, signature, PublicKey.fromPem(ownKeys.publicPem))
}

describe('signed requests', () => {
  test('a body, a change and a look-up are signed so that Stark Bank’s own library accepts them', async () => {
    await using story = await openStarkFixture()
    story.scripted.scriptReplies('POST /v2/dynamic-brcode', okReply({ brcodes: [brcodeOf()] }))
    story.scripted.scriptReplies(
      'PATCH /v2/deposit/5151515151515151',
      okReply({ deposit: depositOf({ amount: 1000 }) }),
    )
    story.scripted.scriptReplies('GET /v2/balance', okReply({ balances: [{ amount: 1 }] }))
    await story.provider.issueCharge({
      reference: CHARGE_REFERENCE,
      totalCents: 1234,
      expiresInSeconds: 3600,
      collectionKey: null,
      message: 'Ação nº 1 “ê”',
    })
    await story.provider.refund(
      { id: 'r', endToEnd: 'deposit/5151515151515151', cents: 234 },
      { ref: 'deposit/5151515151515151/1234/1000/1' },
    )
    await story.provider.balances()
    const calls = story.scripted.calls()
    expect(calls.map(({ method }) => method)).toEqual(['POST', 'PATCH', 'GET'])
    for (const call of calls) {
      expect(call.headers).toMatchObject({
        'access-id': 'project/5656565656565656',
        'access-time': String(NOW / 1000),
      })
      expect(isSignedRequest(call)).toBe(true)
      expect(isSignedRequest(call, `project/1:${NOW / 1000}:${call.body}`)).toBe(false)
    }
    expect(calls[2]!.body).toBe('')
  })
})

describe('credentials', () => {
  const parse = (changes: Record<string, unknown>) =>
    starkCredentialsSchema.safeParse({ ...starkCredentials, ...changes })
  const faultsOf = (changes: Record<string, unknown>) =>
    parse(changes).error?.issues.map(({ path, message }) => [path.join('.'), message])

  test.each([
    ['5656565656565656', 'project/5656565656565656'],
    ['project/5656565656565656', 'project/5656565656565656'],
    ['organization/1/workspace/2', 'organization/1/workspace/2'],
  ])('an access id %s is sent as %s', (access_id, sent) => {
    expect(parse({ access_id }).data?.access_id).toBe(sent)
  })

  test('a key with the block of its parameters, as openssl writes it, is accepted', () => {
    const parameters = '-----BEGIN EC PARAMETERS-----\nBgUrgQQACg==\n-----END EC PARAMETERS-----\n'
    expect(parse({ private_key: parameters + ownKeys.privatePem }).success).toBe(true)
    const pkcs8 = createPrivateKey(ownKeys.privatePem).export({ type: 'pkcs8', format: 'pem' })
    expect(parse({ private_key: pkcs8 }).success).toBe(true)
  })

  const otherCurve = generateKeyPairSync('ec', { namedCurve: 'prime256v1' }).privateKey
  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const sealedKey = generateKeyPairSync('ec', { namedCurve: 'secp256k1' }).privateKey
  test.each([
    ['no PEM', 'secret'],
    ['a public key', createStarkKeys().publicPem],
    ['another curve', otherCurve.export({ type: 'sec1', format: 'pem' })],
    ['RSA', rsa.export({ type: 'pkcs8', format: 'pem' })],
    [
      'a passphrase',
      sealedKey.export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' }),
    ],
  ])('a private key that is %s is refused by its field, without its text', (_name, private_key) => {
    expect(faultsOf({ private_key })).toEqual([
      ['private_key', 'must be a PEM private key (EC, secp256k1) without a passphrase'],
    ])
  })

  test('a text that is too long for a key, and no id, are refused by their fields', () => {
    expect(faultsOf({ private_key: 'x'.repeat(70_000) })?.map(([field]) => field)).toContain('private_key')
    expect(faultsOf({ access_id: 'my-project' })).toEqual([
      ['access_id', 'must be the id of a project, or organization/<id>/workspace/<id>'],
    ])
    expect(faultsOf({ access_id: 'organization/1' })).toHaveLength(1)
  })
})
