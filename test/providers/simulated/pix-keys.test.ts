import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { PROVIDER_APIS } from '../../../src/domain/providers/provider.ts'
import { COLLECTION_KEY, openSimulatedProvider, type SimulatedProvider } from '../support/simulated.ts'

const random = { type: 'RANDOM', key: null } as const

describe.each(PROVIDER_APIS)('%s', dialect => {
  let shop: SimulatedProvider
  beforeAll(async () => {
    shop = await openSimulatedProvider(dialect)
  })
  beforeEach(() => shop.control.clearFaults())
  afterAll(() => shop.close())

  const keys = async () => {
    const list = await shop.provider.listKeys()
    return list.kind === 'found' ? list.keys.filter(({ type }) => type === 'RANDOM') : []
  }
  const fault = (operation: 'createKey' | 'listKeys' | 'deleteKey', kind: 'timeout_then_done' | 'refused') =>
    shop.control.addFault({ provider: 'PROVIDER_A', operation, fault: kind })

  test('a random key is created, listed, receives a charge, and is removed once', async () => {
    const creation = await shop.provider.createKey(random)
    if (creation.kind !== 'created') throw new Error(JSON.stringify(creation))
    expect(await keys()).toEqual([{ key: creation.key, type: 'RANDOM' }])
    await shop.control.deposit({ key: creation.key, value: 1 })
    expect(await shop.provider.deleteKey(creation.key)).toEqual({ kind: 'deleted' })
    expect(await shop.provider.deleteKey(creation.key)).toEqual({ kind: 'not_found' })
    expect(await keys()).toEqual([])
  })

  test('a key whose answer got lost is found in the list', async () => {
    await fault('createKey', 'timeout_then_done')
    expect(await shop.provider.createKey(random)).toMatchObject({ kind: 'unknown' })
    const [randomKey] = await keys()
    await fault('deleteKey', 'timeout_then_done')
    expect(await shop.provider.deleteKey(randomKey!.key)).toMatchObject({ kind: 'unknown' })
    expect(await shop.provider.deleteKey(randomKey!.key)).toEqual({ kind: 'not_found' })
  })

  test('a refusal is a refusal, and a failed lookup is no answer', async () => {
    await fault('createKey', 'refused')
    expect(await shop.provider.createKey(random)).toMatchObject({
      kind: 'rejected',
      finality: 'other_may_help',
    })
    await fault('listKeys', 'refused')
    expect(await shop.provider.listKeys()).toMatchObject({ kind: 'no_answer', code: 'provider_denied' })
    await fault('deleteKey', 'refused')
    expect(await shop.provider.deleteKey(COLLECTION_KEY)).toMatchObject({ kind: 'rejected' })
  })

  test('an account has a limited number of keys', async () => {
    for (let creation = 1; creation < 20; creation += 1) await shop.provider.createKey(random)
    expect(await shop.provider.createKey(random)).toMatchObject({ kind: 'rejected', code: 'key_limit' })
  })
})

describe('woovi alone', () => {
  let shop: SimulatedProvider
  beforeAll(async () => {
    shop = await openSimulatedProvider('woovi')
  })
  afterAll(() => shop.close())

  test.each([
    { type: 'DOCUMENT', key: '11222333000181' },
    { type: 'EMAIL', key: 'outra@example.com' },
    { type: 'PHONE', key: '+5511987654321' },
  ] as const)('a $type key whose answer got lost is created once, when requested again', async order => {
    await shop.control.addFault({
      provider: 'PROVIDER_A',
      operation: 'createKey',
      fault: 'timeout_then_done',
    })
    expect(await shop.provider.createKey(order)).toMatchObject({ kind: 'unknown' })
    expect(await shop.provider.createKey(order)).toEqual({ kind: 'created', key: order.key })
    expect(await shop.provider.listKeys()).toMatchObject({
      keys: expect.arrayContaining([{ key: order.key, type: order.type }]),
    })
    expect(await shop.provider.deleteKey(order.key)).toEqual({ kind: 'deleted' })
  })

  test('a key of another account is refused', async () => {
    await shop.control.putAccount('other', {
      provider: 'PROVIDER_B',
      dialect: 'efi',
      client_id: 'o',
      client_secret: 'o',
      ispb: '09089356',
      holder: { name: 'Outra', document: '11222333000181' },
      keys: ['tomada@example.com'],
    })
    expect(await shop.provider.createKey({ type: 'EMAIL', key: 'tomada@example.com' })).toMatchObject({
      kind: 'rejected',
      finality: 'final',
      code: 'key_already_registered',
    })
  })

  test('the key that receives charges cannot be removed', async () => {
    expect(await shop.provider.deleteKey(COLLECTION_KEY)).toMatchObject({
      kind: 'rejected',
      code: 'key_in_use',
    })
  })
})
