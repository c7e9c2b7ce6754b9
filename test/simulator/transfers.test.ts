import { afterAll, beforeAll, expect, test } from '@jest/globals'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, SHOP, type SimulatorFixture } from './support/simulator-fixture.ts'

let simulator: SimulatorFixture
let efi: EfiClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  efi = await simulator.createShop({ balance: 10_000 })
  await efi.put('/v2/webhook/loja@trilho.test', { webhookUrl: `${simulator.facts.inbox_url}/sent?ignorar=` })
})
afterAll(() => simulator.close())

const balances = async () => {
  const { balance, held } = await simulator.control.findAccount('shop')
  return { balance, held }
}
const settled = (id: string) =>
  pollUntil(
    () => efi.findSent(id),
    response => response.status === 200 && response.body.status !== 'EM_PROCESSAMENTO',
  )
const notificationOf = async (id: string) => {
  const fits = (body: string) => JSON.parse(body).pix[0].gnExtras?.idEnvio === id
  const outcome = await pollUntil(
    () => simulator.control.listInbox('sent'),
    all => all.some(one => fits(one.body)),
  )
  return JSON.parse(outcome.find(one => fits(one.body))!.body).pix[0]
}

test('a transfer is accepted, settles, and is notified', async () => {
  const balancesBefore = await balances()
  const accepted = await efi.send('send1', 'maria@example.com', '10.00')
  expect(accepted.status).toBe(201)
  expect(accepted.body).toMatchObject({ idEnvio: 'send1', valor: '10.00', status: 'EM_PROCESSAMENTO' })
  expect(accepted.body.e2eId).toMatch(/^E09089356\d{12}\w{11}$/)

  const { body } = await settled('send1')
  expect(body).toMatchObject({
    endToEndId: accepted.body.e2eId,
    status: 'REALIZADO',
    favorecido: { chave: 'maria@example.com' },
    horario: { liquidacao: expect.any(String) },
  })
  expect((await efi.get(`/v2/gn/pix/enviados/${accepted.body.e2eId}`)).body).toEqual(body)
  expect(await notificationOf('send1')).toMatchObject({
    status: 'REALIZADO',
    endToEndId: accepted.body.e2eId,
  })
  expect(await balances()).toEqual({ balance: balancesBefore.balance - 10, held: 0 })
})

test('an id sends once, and the statement lists it once', async () => {
  const all = await Promise.all([1, 2, 3].map(() => efi.send('once', 'maria@example.com')))
  expect(all.map(one => one.status).sort()).toEqual([201, 409, 409])
  await settled('once')
  const lines = (await simulator.control.listStatement('PROVIDER_A')).filter(line => line.id === 'once')
  expect(lines).toMatchObject([{ kind: 'transfer', value: 10 }])
})

test.each(['ac03', 'am04', 'frad', 'ab03'])('%s@ is refused in the response with its code', async code => {
  const balancesBefore = await balances()
  const refusal = await efi.send(`at${code}`, `${code}@sim.trilho.test`)
  expect([refusal.status, refusal.body.nome]).toEqual([422, 'pagamento_negado'])
  expect(refusal.body.erro.codigo).toBe(code.toUpperCase())
  expect((await efi.findSent(`at${code}`)).body.type).toMatch(/PixEnviadoNaoEncontrado$/)
  expect(await balances()).toEqual(balancesBefore)
})

test('ac03-later@ is accepted, then rejected by notification, and its amount is credited back', async () => {
  const balancesBefore = await balances()
  expect((await efi.send('later', 'ac03-later@sim.trilho.test')).status).toBe(201)
  const { body } = await settled('later')
  expect(body).toMatchObject({ status: 'NAO_REALIZADO' })
  expect(body).not.toHaveProperty('gnExtras')
  expect(await notificationOf('later')).toMatchObject({
    status: 'NAO_REALIZADO',
    gnExtras: { erro: { codigo: 'AC03' } },
  })
  expect(await balances()).toEqual(balancesBefore)
})

test('returned@ settles and returns everything', async () => {
  const balancesBefore = await balances()
  await efi.send('back', 'returned@sim.trilho.test', '30.00')
  const { body } = await pollUntil(
    () => efi.findSent('back'),
    response => response.body.devolucoes !== undefined,
  )
  expect(body.devolucoes).toMatchObject([{ valor: '30.00', rtrId: expect.stringMatching(/^D99999004/) }])
  expect(await balances()).toEqual(balancesBefore)
})

test('a recipient may return a part and then the rest, never more', async () => {
  const { body } = await efi.send('parts', 'maria@example.com', '30.00')
  await settled('parts')
  await simulator.control.returnTransfer({ end_to_end: body.e2eId, value: 12.5 })
  await simulator.control.returnTransfer({ end_to_end: body.e2eId })
  await expect(
    simulator.control.returnTransfer({ end_to_end: body.e2eId, value: 0.01 }),
  ).rejects.toMatchObject({
    status: 409,
  })
  const values = (await efi.findSent('parts')).body.devolucoes.map((one: { valor: string }) => one.valor)
  expect(values).toEqual(['12.50', '17.50'])
})

test('timeout-then-done@ does not answer and sends; sent again it exists', async () => {
  await expect(efi.send('silent1', 'timeout-then-done@sim.trilho.test')).rejects.toThrow()
  expect((await settled('silent1')).body.status).toBe('REALIZADO')
  expect((await efi.send('silent1', 'timeout-then-done@sim.trilho.test')).body.nome).toBe(
    'id_envio_duplicado',
  )
})

test('timeout-then-absent@ does not answer and does not send; sent again it arrives', async () => {
  await expect(efi.send('silent2', 'timeout-then-absent@sim.trilho.test')).rejects.toThrow()
  expect((await efi.findSent('silent2')).status).toBe(404)
  expect((await efi.send('silent2', 'timeout-then-absent@sim.trilho.test')).status).toBe(201)
})

test('slow@ answers late and correctly', async () => {
  const start = Date.now()
  expect((await efi.send('slow1', 'slow@sim.trilho.test')).status).toBe(201)
  expect(Date.now() - start).toBeGreaterThanOrEqual(48)
})

test.each([
  ['to no key', () => efi.send('r2', 'not a key'), 'valor_invalido'],
  [
    "a document not the key owner's",
    () => efi.send('r3', { chave: '52998224725', cpf: '12345678909' }),
    'chave_nao_pertence_ao_documento',
  ],
  ['nothing', () => efi.send('r4', 'maria@example.com', '0.00'), 'valor_invalido'],
  ['by an id with a hyphen', () => efi.send('r-5', 'maria@example.com'), 'valor_invalido'],
])('a transfer with %s is refused', async (_, send, nome) => {
  const refusal = await send()
  expect([refusal.status, refusal.body.nome]).toEqual([400, nome])
})

test('a transfer beyond the balance is refused with the rail’s code', async () => {
  const denied = await efi.send('r6', 'maria@example.com', '99999.00')
  expect(denied.status).toBe(422)
  expect(denied.body).toMatchObject({ nome: 'pagamento_negado', erro: { codigo: 'AM04' } })
})

test('a recipient is identified by bank data, or by a document as a key', async () => {
  const bank = {
    nome: 'José',
    cpf: '52998224725',
    codigoBanco: '00000000',
    agencia: '1',
    conta: '123',
    tipoConta: 'cacc',
  }
  expect((await efi.send('bank', { contaBanco: bank })).status).toBe(201)
  expect((await settled('bank')).body.favorecido.contaBanco).toMatchObject({
    nome: 'José',
    cpf: '***.982.247-**',
  })
  expect((await efi.send('owner', { chave: '52998224725', cpf: '52998224725' })).status).toBe(201)
})

test('a simulated recipient receives it under the same end-to-end id, and only that recipient can return it', async () => {
  const settings = { ...SHOP, provider: 'PROVIDER_B' as const, keys: ['vizinha@trilho.test'], balance: 0 }
  await simulator.control.putAccount('neighbour', settings)
  const { body } = await efi.send('next', 'vizinha@trilho.test', '25.00')
  await settled('next')
  expect((await simulator.control.findAccount('neighbour')).balance).toBe(25)
  const lines = (await simulator.control.listStatement()).filter(line => line.end_to_end === body.e2eId)
  expect(lines.map(line => [line.account, line.kind])).toEqual([
    ['shop', 'transfer'],
    ['neighbour', 'deposit'],
  ])
  await expect(
    simulator.control.returnTransfer({ end_to_end: body.e2eId, value: 12.5 }),
  ).rejects.toMatchObject({
    status: 409,
  })
})

test('answers have fields that Efí does not publish only where the account has the option', async () => {
  const empty = '/v2/gn/pix/enviados?inicio=2020-01-01T00:00:00Z&fim=2020-01-02T00:00:00Z'
  const read = async () => {
    const { end_to_end } = await simulator.control.deposit({ account: 'shop', value: 2 })
    const refund = await efi.put(`/v2/pix/${end_to_end}/devolucao/d1`, { valor: '1.00' })
    const [pix, list] = [await efi.get(`/v2/pix/${end_to_end}`), await efi.get(empty)]
    return {
      list: [list.status, list.body.pix ?? list.body.type],
      fields: ['natureza' in refund.body, 'pagador' in pix.body, 'gnExtras' in pix.body],
    }
  }
  expect(await read()).toEqual({
    list: [404, expect.stringMatching(/PixEnviadoNaoEncontrado$/)],
    fields: [false, false, false],
  })
  await simulator.createShop({ options: { unpublished_fields: true } })
  expect(await read()).toEqual({ list: [200, []], fields: [true, true, true] })
  await simulator.createShop()
  expect((await efi.get('/v2/nada')).body).toMatchObject({ nome: 'nao_encontrado' })
})

test('with magic amounts the value decides the outcome', async () => {
  const magic = await simulator.createShop({ amount_magic: true })
  expect((await magic.send('m1', 'maria@example.com', '20.01')).status).toBe(422)
  await magic.send('m2', 'maria@example.com', '20.00')
  await magic.send('m3', 'maria@example.com', '4.00')
  expect((await settled('m2')).body.status).toBe('NAO_REALIZADO')
  await pollUntil(
    () => magic.findSent('m3'),
    response => response.body.devolucoes?.length === 2,
  )
  await simulator.createShop()
})
