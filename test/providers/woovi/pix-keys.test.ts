import { expect, test } from '@jest/globals'
import type { ProviderKeyRequest } from '../../../src/domain/providers/provider.ts'
import {
  okReply,
  openWooviFixture,
  pageOf,
  UNEXPLAINED_REPLIES,
  wooviErrorReply,
} from '../support/woovi-fixture.ts'

const EVP = 'b6295ee1-f054-4b8f-a8b4-dfe4ad2d8e9f'
const CNPJ = '11222333000181'
const MAIL = 'loja@example.com'
const KEYS = '/api/v1/pix-keys'

test.each<[order: ProviderKeyRequest, asked: object, made: string]>([
  [{ type: 'RANDOM', key: null }, { type: 'EVP' }, EVP],
  [{ type: 'DOCUMENT', key: CNPJ }, { type: 'CNPJ', key: CNPJ }, CNPJ],
  [{ type: 'EMAIL', key: MAIL }, { type: 'EMAIL', key: MAIL }, MAIL],
  [{ type: 'PHONE', key: '+5511987654321' }, { type: 'PHONE', key: '+5511987654321' }, '+5511987654321'],
])('a key of type $type is created', async (order, asked, made) => {
  await using story = await openWooviFixture()
  const type = (asked as { type: string }).type
  story.scripted.scriptReplies(
    `POST ${KEYS}`,
    okReply({ pixKey: { pixKey: made, type, isDefault: false } }, 201),
  )
  expect(await story.provider.createKey(order)).toEqual({ kind: 'created', key: made })
  expect(JSON.parse(story.scripted.calls()[0]!.body)).toEqual(asked)
})

test('an answer may write the ordered key otherwise', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(`POST ${KEYS}`, okReply({ key: MAIL.toUpperCase(), type: 'EMAIL' }, 201))
  expect(await story.provider.createKey({ type: 'EMAIL', key: MAIL })).toMatchObject({ kind: 'created' })
})

test('a CPF is not requested', async () => {
  await using story = await openWooviFixture()
  expect(await story.provider.createKey({ type: 'DOCUMENT', key: '12345678909' })).toMatchObject({
    kind: 'rejected',
    finality: 'other_may_help',
    code: 'key_unsupported',
  })
  expect(story.scripted.seen).toEqual([])
})

test.each([
  ['ours already', [{ key: MAIL, type: 'EMAIL', isDefault: true }], { kind: 'created', key: MAIL }],
  [
    "another's",
    [{ key: EVP, type: 'EVP' }],
    { kind: 'rejected', finality: 'final', code: 'key_already_registered' },
  ],
])('an existing key is %s', async (_name, keys, outcome) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(`POST ${KEYS}`, wooviErrorReply('Esta chave Pix já está cadastrada'))
  story.scripted.scriptReplies(`GET ${KEYS}`, okReply({ pixKeys: keys }))
  expect(await story.provider.createKey({ type: 'EMAIL', key: MAIL })).toMatchObject(outcome)
})

test('an existing key whose owner cannot be looked up now is unknown', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(`POST ${KEYS}`, wooviErrorReply('Esta chave Pix já está cadastrada'))
  story.scripted.scriptReplies(`GET ${KEYS}`, 'reset')
  expect(await story.provider.createKey({ type: 'EMAIL', key: MAIL })).toMatchObject({ kind: 'unknown' })
})

test('too many keys are a refusal with its own name', async () => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(`POST ${KEYS}`, wooviErrorReply('Limite de chaves Pix atingido'))
  expect(await story.provider.createKey({ type: 'RANDOM', key: null })).toMatchObject({
    kind: 'rejected',
    code: 'key_limit',
  })
})

test.each<[name: string, order: ProviderKeyRequest, answered: { pixKey: string; type: string }]>([
  ['key and type', { type: 'EMAIL', key: MAIL }, { pixKey: EVP, type: 'EVP' }],
  ['e-mail', { type: 'EMAIL', key: MAIL }, { pixKey: 'outra@example.com', type: 'EMAIL' }],
  ['type of an e-mail', { type: 'EMAIL', key: MAIL }, { pixKey: MAIL, type: 'PHONE' }],
  ['type of a CNPJ', { type: 'DOCUMENT', key: CNPJ }, { pixKey: CNPJ, type: 'EVP' }],
  ['phone', { type: 'PHONE', key: '+5511987654321' }, { pixKey: '+5511987654322', type: 'PHONE' }],
  ['type of a random key', { type: 'RANDOM', key: null }, { pixKey: CNPJ, type: 'CNPJ' }],
])('an answer with another %s is no acceptance', async (_name, order, answered) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(`POST ${KEYS}`, okReply({ pixKey: answered }))
  expect(await story.provider.createKey(order)).toMatchObject({ kind: 'unknown' })
  expect(story.recorded).toMatchObject([{ operation: 'createKey', kind: 'unreadable_answer' }])
})

test('the keys are listed to the last page, with our types', async () => {
  await using story = await openWooviFixture()
  const types = ['CPF', 'CNPJ', 'EMAIL', 'PHONE', 'EVP']
  const first = types.map(type => ({ key: `of ${type}`, type }))
  story.scripted.scriptReplies(
    `GET ${KEYS}`,
    okReply(pageOf('pixKeys', first, true)),
    okReply(pageOf('pixKeys', [{ pixKey: EVP, type: 'EVP' }])),
  )
  const list = await story.provider.listKeys()
  expect(list.kind === 'found' && list.keys.map(({ type }) => type)).toEqual([
    ...['DOCUMENT', 'DOCUMENT', 'EMAIL', 'PHONE', 'RANDOM', 'RANDOM'],
  ])
})

test.each([
  ['gone', okReply({ status: 'OK' }), { kind: 'deleted' }],
  ['nobody’s', wooviErrorReply('Pix key not found', { status: 404 }), { kind: 'not_found' }],
  ['in other words', wooviErrorReply('Chave Pix não encontrada'), { kind: 'unknown', code: 'http_400' }],
  [
    'the default',
    wooviErrorReply('Não é possível remover a chave padrão da conta'),
    { kind: 'rejected', code: 'key_in_use' },
  ],
  ['a 500', wooviErrorReply('Erro interno', { status: 500 }), { kind: 'unknown' }],
])('a key is removed: %s', async (_name, reply, outcome) => {
  await using story = await openWooviFixture()
  story.scripted.scriptReplies(`DELETE ${KEYS}/loja%40example.com`, reply)
  expect(await story.provider.deleteKey(MAIL)).toMatchObject(outcome)
})

test.concurrent.each(UNEXPLAINED_REPLIES)('a key is requested: %s', async (_name, reply, outcome) => {
  await using story = await openWooviFixture({ reply })
  story.scripted.scriptReplies(`POST ${KEYS}`, reply)
  story.scripted.scriptReplies(`GET ${KEYS}`, reply)
  const answers = await Promise.all([
    story.provider.createKey({ type: 'RANDOM', key: null }),
    story.provider.listKeys(),
  ])
  expect(answers).toMatchObject([outcome, { kind: 'no_answer' }])
})
