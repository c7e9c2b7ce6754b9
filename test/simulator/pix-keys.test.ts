import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openSimulatorFixture, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'
import { createWooviClient, type WooviClient } from './support/woovi-client.ts'

let simulator: SimulatorFixture
let woovi: WooviClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  await simulator.control.putAccount('shop', { ...SHOP, keys: [...SHOP.keys], dialect: 'woovi' })
  woovi = createWooviClient(simulator.facts.providers.PROVIDER_A.base_url, { ca: simulator.ca, ...SHOP })
})
afterAll(async () => {
  await woovi.close()
  await simulator.close()
})

const keysThere = async () =>
  (await woovi.get('/pix-keys')).body.pixKeys.map(({ key }: { key: string }) => key) as string[]

test('keys of each type are created, listed, kept when the account is configured, and removed', async () => {
  const made: string[] = []
  for (const body of [
    { type: 'EVP' },
    { type: 'CNPJ', key: SHOP.holder.document },
    { type: 'EMAIL', key: 'nova@trilho.test' },
    { type: 'PHONE', key: '+5511987654321' },
  ]) {
    const { status, body: response } = await woovi.post('/pix-keys', body)
    expect(status).toBe(201)
    expect(response).toMatchObject({ ...body, isDefault: false })
    made.push(response.key)
  }
  await simulator.control.putAccount('shop', { ...SHOP, keys: [...SHOP.keys], dialect: 'woovi' })
  expect(await keysThere()).toEqual(expect.arrayContaining([...SHOP.keys, ...made]))
  for (const key of made)
    expect((await woovi.delete(`/pix-keys/${encodeURIComponent(key)}`)).status).toBe(204)
  expect(await keysThere()).toEqual([...SHOP.keys])
})

test.each([
  [{ type: 'EMAIL', key: 'tomada@trilho.test' }, 'Esta chave Pix já está cadastrada'],
  [{ type: 'EMAIL', key: SHOP.keys[0] }, 'Esta chave Pix já está cadastrada'],
  [{ type: 'CNPJ', key: '12ABC34501DE35' }, 'A chave Pix deve ser o CNPJ da conta'],
])('%j is refused', async (body, error) => {
  const other = { ...SHOP, provider: 'PROVIDER_B' as const, keys: ['tomada@trilho.test'] }
  await simulator.control.putAccount('other', other)
  const refusal = await woovi.post('/pix-keys', body)
  expect([refusal.status, refusal.body]).toEqual([400, { error }])
})

test.each([{ type: 'CPF', key: '12345678909' }, { type: 'EMAIL' }, { type: 'PHONE', key: '11987654321' }])(
  '%j is not a PIX key',
  async body => {
    const { status, body: response } = await woovi.post('/pix-keys', body)
    expect(status).toBe(400)
    expect(response.errors).toHaveLength(1)
  },
)

test('the default key cannot be removed, and an unknown one is not found', async () => {
  const [shops] = SHOP.keys
  const stays = await woovi.delete(`/pix-keys/${encodeURIComponent(shops)}`)
  expect(stays.body).toEqual({ error: 'Não é possível remover a chave padrão da conta' })
  const absent = await woovi.delete('/pix-keys/maria%40example.com')
  expect([absent.status, absent.body]).toEqual([404, { error: 'Pix key not found' }])
})

test('a person has at most five keys, through either API', async () => {
  const holder = { name: 'Ana', document: '52998224725' }
  const settings = {
    ...SHOP,
    holder,
    client_id: 'ana',
    provider: 'PROVIDER_C' as const,
    keys: ['ana@trilho.test'],
  }
  const efi = await simulator.createShop({ ...settings })
  await simulator.control.putAccount('ana', {
    ...settings,
    client_id: 'ana-2',
    keys: ['ana2@trilho.test'],
    dialect: 'woovi',
  })
  const ana = createWooviClient(simulator.facts.providers.PROVIDER_C.base_url, {
    ca: simulator.ca,
    ...SHOP,
    client_id: 'ana-2',
  })
  for (const made of [1, 2, 3, 4]) {
    expect([made, (await efi.call('POST', '/v2/gn/evp')).status]).toEqual([made, 201])
    expect([made, (await ana.post('/pix-keys', { type: 'EVP' })).status]).toEqual([made, 201])
  }
  expect((await efi.call('POST', '/v2/gn/evp')).body).toMatchObject({ nome: 'limite_criacao_chave_atingido' })
  expect((await ana.post('/pix-keys', { type: 'EVP' })).body).toEqual({
    error: 'Limite de chaves Pix atingido',
  })
  await ana.close()
})
