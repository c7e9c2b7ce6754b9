import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'

let simulator: SimulatorFixture
let efi: EfiClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  efi = await simulator.createShop({ balance: 100 })
})
afterAll(() => simulator.close())

const move = (
  kind: Parameters<SimulatorFixture['control']['moveMoney']>[0]['kind'],
  value: number,
  end_to_end?: string,
) => simulator.control.moveMoney({ provider: 'PROVIDER_A', account: 'shop', kind, value, end_to_end })
const period = () => {
  const day = 86_400_000
  const [inicio, fim] = [-day, day].map(ms => new Date(Date.now() + ms).toISOString())
  return `inicio=${inicio}&fim=${fim}`
}

test('tariffs, withdrawals and credits change the balance and have no end-to-end id', async () => {
  const { balance } = await simulator.control.findAccount('shop')
  expect(await move('tariff', 1.5)).toEqual({ id: expect.stringMatching(/^[0-9a-f]{24}$/), end_to_end: null })
  await move('withdrawal', 20)
  await move('credit', 5)
  expect((await simulator.control.findAccount('shop')).balance).toBe(balance - 16.5)
  const lines = (await simulator.control.listStatement('PROVIDER_A')).slice(-3)
  expect(lines.map(({ kind, value, end_to_end }) => [kind, value, end_to_end])).toEqual([
    ['tariff', 1.5, null],
    ['withdrawal', 20, null],
    ['credit', 5, null],
  ])
})

test('a judicial block keeps money in the account; only a blocked amount is released', async () => {
  const accountBefore = await simulator.control.findAccount('shop')
  await move('block', 30)
  const after = await simulator.control.findAccount('shop')
  expect([after.balance, after.blocked]).toEqual([accountBefore.balance - 30, accountBefore.blocked + 30])
  expect((await efi.get('/v2/gn/saldo?bloqueios=true')).body.bloqueios).toEqual({
    judicial: '30.00',
    med: '0.00',
    total: '30.00',
  })
  await expect(move('unblock', 30.01)).rejects.toMatchObject({ status: 409 })
  await move('unblock', 30)
  expect(await simulator.control.findAccount('shop')).toEqual(accountBefore)
})

test('a return in the panel has an id of the provider, and never exceeds the PIX', async () => {
  const { end_to_end } = await simulator.control.deposit({ account: 'shop', value: 10 })
  const returnMovement = await move('return', 4, end_to_end)
  const { body } = await pollUntil(
    () => efi.get(`/v2/pix/${end_to_end}`),
    answer => answer.body.devolucoes?.[0]?.status === 'DEVOLVIDO',
  )
  expect(body.devolucoes).toMatchObject([
    { id: returnMovement.id, rtrId: returnMovement.end_to_end, valor: '4.00' },
  ])
  await expect(move('return', 6.01, end_to_end)).rejects.toMatchObject({ status: 409 })
})

test('a PIX sent in the panel is listed without an id of ours', async () => {
  const { end_to_end } = await move('send', 3)
  const { body } = await pollUntil(
    () => efi.get(`/v2/gn/pix/enviados/${end_to_end}`),
    answer => answer.body.status === 'REALIZADO',
  )
  expect(body).not.toHaveProperty('idEnvio')
  const { pix } = (await efi.get(`/v2/gn/pix/enviados?${period()}`)).body
  expect(pix.map((one: { endToEndId: string }) => one.endToEndId)).toContain(end_to_end)
})

test('a movement beyond the balance, or of an unknown account, is refused and changes nothing', async () => {
  const accountBefore = await simulator.control.findAccount('shop')
  for (const kind of ['tariff', 'withdrawal', 'block', 'send'] as const)
    await expect(move(kind, 1_000_000)).rejects.toMatchObject({ status: 409 })
  await expect(
    simulator.control.moveMoney({ provider: 'PROVIDER_B', kind: 'tariff', value: 1 }),
  ).rejects.toMatchObject({
    status: 404,
  })
  await expect(move('return', 1)).rejects.toMatchObject({ status: 422 })
  expect(await simulator.control.findAccount('shop')).toEqual(accountBefore)
})
