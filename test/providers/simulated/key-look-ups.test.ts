import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { openSimulatedProvider, type SimulatedProvider } from '../support/simulated.ts'

/** Look-ups of keys at the simulated providers, as the published texts of each have them. */

const MAIL = 'maria@example.com'
const CPF_KEY = '52998224725'
const magic = (name: string) => `${name}@sim.trilho.test`

describe('look-ups', () => {
  describe('Woovi', () => {
    let shop: SimulatedProvider
    beforeAll(async () => {
      shop = await openSimulatedProvider('woovi')
    })
    beforeEach(() => shop.control.clearFaults())
    afterAll(() => shop.close())

    const readTokens = async () => {
      const answer = await shop.provider.findLookUpBudget!()
      if (answer.kind !== 'found') throw new Error(JSON.stringify(answer))
      return answer.budget
    }

    test('name the owner, mask a CPF, and take the tokens that Woovi says', async () => {
      expect(await readTokens()).toEqual({ capacity: 500, left: 500, refillPerMinute: 20 })
      const found = await shop.provider.lookUpKey!(MAIL)
      expect(found).toMatchObject({
        kind: 'found',
        endToEnd: expect.stringMatching(/^E\d{8}/),
        owner: { name: 'Favorecido de Teste', document: expect.stringMatching(/\*/) },
      })
      expect((await readTokens()).left).toBe(499)
      expect(await shop.provider.lookUpKey!(magic('not-registered'))).toEqual({ kind: 'not_found' })
      expect((await readTokens()).left).toBe(479)
      // Known to Woovi for five minutes: it takes nothing.
      expect(await shop.provider.lookUpKey!(magic('not-registered'))).toEqual({ kind: 'not_found' })
      expect((await readTokens()).left).toBe(479)
      expect(await shop.provider.lookUpKey!(magic('fraud-marked'))).toEqual({
        kind: 'refused',
        code: 'key_blocked_for_fraud',
      })
    })

    test('bind a payment, which returns two tokens once', async () => {
      const found = await shop.provider.lookUpKey!(MAIL)
      if (found.kind !== 'found') throw new Error(JSON.stringify(found))
      const before = (await readTokens()).left
      const order = { ...shop.transferRequest(), lookUpEndToEnd: found.endToEnd! }
      expect(await shop.sendTransfer(order)).toMatchObject({ kind: 'accepted' })
      expect((await readTokens()).left).toBe(before + 2)
      expect(await shop.sendTransfer({ ...order, id: shop.id() })).toMatchObject({ kind: 'accepted' })
      expect((await readTokens()).left).toBe(before + 2)
    })

    test('bind a payment to the owner that they have shown, where the key has another one since', async () => {
      const key = magic('owner-changes')
      const found = await shop.provider.lookUpKey!(key)
      if (found.kind !== 'found') throw new Error(JSON.stringify(found))
      const bound = { ...shop.transferRequest(key), lookUpEndToEnd: found.endToEnd! }
      const free = { ...shop.transferRequest(key), id: shop.id() }
      for (const order of [bound, free]) {
        await shop.sendTransfer(order)
        await shop.waitForEnd(() => shop.findTransfer(order))
      }
      const lines = await shop.control.listStatement()
      const paid = [bound, free].map(({ id }) => lines.find(line => line.id === id)?.receiver?.name)
      expect(paid).toEqual([found.owner.name, 'Outra Pessoa de Teste'])
    })

    test('are refused while fewer than twenty tokens are left', async () => {
      for (let left = (await readTokens()).left; left >= 20; left = (await readTokens()).left) {
        const key = `${left}-${magic('unknown')}`
        // Another magic key each time is not needed: each of them is found and takes one, so the bucket is emptied by DICT's answers.
        await Promise.all(
          Array.from({ length: 40 }, (_, number) => shop.provider.lookUpKey!(`k${number}-${key}`)),
        )
      }
      expect(await shop.provider.lookUpKey!(MAIL)).toMatchObject({ kind: 'no_answer', code: 'rate_limited' })
    })
  })

  describe('Sicoob', () => {
    let shop: SimulatedProvider
    beforeAll(async () => {
      shop = await openSimulatedProvider('sicoob')
    })
    afterAll(() => shop.close())

    test('name the owner by an initiated payment, and move nothing', async () => {
      const before = await shop.provider.balances()
      expect(await shop.provider.lookUpKey!(CPF_KEY)).toMatchObject({
        kind: 'found',
        owner: { name: 'Favorecido de Teste', document: expect.stringContaining('982') },
      })
      expect(await shop.provider.balances()).toEqual(before)
      expect(shop.provider.findLookUpBudget).toBeUndefined()
    })

    test('prove no absence of a key, because Sicoob publishes no answer for it', async () => {
      for (const name of ['not-registered', 'fraud-marked'])
        expect(await shop.provider.lookUpKey!(magic(name))).toMatchObject({ kind: 'no_answer' })
    })

    test('of a key whose owner changes name another from the second on', async () => {
      const first = await shop.provider.lookUpKey!(magic('owner-changes'))
      const second = await shop.provider.lookUpKey!(magic('owner-changes'))
      expect([first, second]).toMatchObject([
        { owner: { name: 'Favorecido de Teste' } },
        { owner: { name: 'Outra Pessoa de Teste' } },
      ])
    })
  })

  describe('Efí', () => {
    let shop: SimulatedProvider
    beforeAll(async () => {
      shop = await openSimulatedProvider('efi')
    })
    afterAll(() => shop.close())

    test('do not exist; the emptier bucket of its transfers is read', async () => {
      expect(shop.provider.lookUpKey).toBeUndefined()
      const answer = await shop.provider.findLookUpBudget!()
      expect(answer).toMatchObject({
        kind: 'found',
        budget: {
          capacity: expect.any(Number),
          left: expect.any(Number),
          refillPerMinute: expect.any(Number),
        },
      })
    })
  })

  test('Inter has neither', async () => {
    const shop = await openSimulatedProvider('inter')
    expect([shop.provider.lookUpKey, shop.provider.findLookUpBudget]).toEqual([undefined, undefined])
    await shop.close()
  })
})
