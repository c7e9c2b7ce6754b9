import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { stayWithinDay } from '../support/day.ts'
import type { EfiClient } from './support/efi-client.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'

/** What Efí's API has besides the Central Bank's: reports, receipts, the key bucket and the resend of notifications. */

const DAY_S = 86_400
let simulator: SimulatorFixture
let efi: EfiClient
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  efi = await simulator.createShop()
})
afterAll(() => simulator.close())

/** Efí's token does not last so long. */
const advanceClock = async (seconds: number) => {
  simulator.advanceClock(seconds)
  await efi.authorize()
}
const receive = async (value = 9) => {
  const { end_to_end } = await simulator.control.deposit({ account: 'shop', value, txid: 'order1' })
  return end_to_end
}
const send = async (id: string, recipient = 'maria@example.com') => {
  await efi.send(id, recipient)
  return pollUntil(
    async () => (await efi.findSent(id)).body,
    ({ status }) => status !== 'EM_PROCESSAMENTO',
  )
}

describe('a report of the statement', () => {
  const PATH = '/v2/gn/relatorios/extrato-conciliacao'
  const request = (
    dataMovimento: string,
    tipoRegistros: object = { pixRecebido: true, tarifaPixRecebido: true },
  ) => efi.call('POST', PATH, { dataMovimento, tipoRegistros })
  const today = () =>
    new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' }).format(Date.now())

  test('is created after a while, with the received PIX and their tariffs; a repeated request is the same report', async () => {
    await stayWithinDay(10_000)
    const endToEnd = await receive()
    const tariff = { provider: 'PROVIDER_A', account: 'shop', kind: 'tariff', value: 0.35 } as const
    await simulator.control.moveMoney({ ...tariff, end_to_end: endToEnd })
    const day = today()
    const response = await request(day)
    expect([response.status, response.body.detail]).toEqual([
      400,
      expect.stringContaining('anterior à data corrente'),
    ])

    await advanceClock(DAY_S)
    const [asked, waiting] = await simulator.whileClockIsStopped(async () => {
      const order = await request(day)
      return [order, await efi.raw('GET', `/v2/gn/relatorios/${order.body.id}`)] as const
    })
    expect([asked.status, asked.body]).toMatchObject([202, { status: 'AGUARDANDO_PROCESSAMENTO' }])
    expect([waiting.status, JSON.parse(waiting.text)]).toEqual([202, asked.body])
    const ready = await pollUntil(
      () => efi.raw('GET', `/v2/gn/relatorios/${asked.body.id}`),
      ({ status }) => status === 200,
    )
    expect(ready.headers['content-type']).toMatch(/^text\/csv/)
    expect(ready.text.trimEnd().split('\n')).toEqual([
      expect.stringMatching(
        `^CA;Gerencianet;364;1;1;Loja São João;.*;${day};Extrato de Conciliação API Pix;1.0$`,
      ),
      expect.stringMatching(`^PR;\\d+;${endToEnd};order1;9.00;12345678909;;;;`),
      expect.stringMatching(`^TPR;\\d+;${endToEnd};0.35;`),
      'T;0;0;0;0;0;0',
    ])
    expect((await request(day)).body).toEqual({ ...asked.body, status: 'CONCLUIDO' })
    const other = await request(day, { pixRecebido: true })
    expect(other.body.id).not.toBe(asked.body.id)
  })

  test('is refused field by field, and is found by its account only', async () => {
    const refusal = await efi.call('POST', PATH, { tipoRegistros: { tarifas: true } })
    expect([refusal.status, refusal.body.type]).toEqual([
      400,
      'https://api-pix.gerencianet.com.br/v2/gn/ExtratoConciliacaoConsultaInvalida',
    ])
    expect(refusal.body.violacoes.map((one: { propriedade: string }) => one.propriedade)).toEqual([
      '.body.dataMovimento',
      '.body.tipoRegistros',
    ])
    const absent = await efi.get('/v2/gn/relatorios/nothing')
    expect([absent.status, absent.body.type]).toEqual([
      404,
      'https://api-pix.gerencianet.com.br/v2/gn/NaoEncontrado',
    ])
  })
})

test('a receipt is a PDF of one PIX, by any of its ids', async () => {
  const endToEnd = await receive(3)
  await efi.put(`/v2/pix/${endToEnd}/devolucao/back1`, { valor: '1.00' })
  const refund = await pollUntil(
    async () => (await efi.get(`/v2/pix/${endToEnd}/devolucao/back1`)).body,
    ({ status }) => status === 'DEVOLVIDO',
  )
  await send('receipt1')
  for (const query of [`e2eid=${endToEnd}`, 'txid=order1', 'idEnvio=receipt1', `rtrId=${refund.rtrId}`]) {
    const receipt = await efi.raw('GET', `/v2/gn/pix/comprovantes?${query}`)
    expect([receipt.status, receipt.headers['content-type']]).toEqual([200, 'application/pdf'])
    expect(receipt.text).toMatch(/^%PDF-1\.4[\s\S]*%%EOF\n$/)
  }
  const absent = await efi.get('/v2/gn/pix/comprovantes?idEnvio=nothing')
  expect([absent.status, absent.body.status]).toEqual([404, 404])
  for (const query of ['', '?txid=a&idEnvio=b']) {
    const refusal = await efi.get(`/v2/gn/pix/comprovantes${query}`)
    expect([refusal.status, refusal.body.status]).toEqual([400, 400])
  }
})

test('the key bucket loses a token for a lookup without a payment', async () => {
  const bucket = async () => (await efi.get('/v2/gn/chaves/balde')).body
  const full = await bucket()
  expect(full).toMatchObject({
    baldeA: { tiposChave: ['cpf', 'cnpj', 'evp'], capacidade: 1000, fichasDisponiveis: 1000 },
    baldeB: { tiposChave: ['telefone', 'email'], taxaDeReposicaoFichas: 20, periodoReposicaoEmSegundos: 60 },
  })
  await send('bucket1')
  expect(await bucket()).toEqual(full)
  await simulator.control.addFault({
    provider: 'PROVIDER_A',
    operation: 'sendTransfer',
    fault: 'accepted_then_rejected',
  })
  await send('bucket2')
  expect(await bucket()).toEqual({ ...full, baldeB: { ...full.baldeB, fichasDisponiveis: 999 } })
  await advanceClock(3_600)
  expect(await bucket()).toEqual(full)
})

describe('a notification is sent again', () => {
  const resend = (tipo: string, ...e2eids: string[]) =>
    efi.call('POST', '/v2/gn/webhook/reenviar', { tipo, e2eids })
  const listBodies = async () =>
    (await simulator.control.listInbox('resent')).map(({ body }) => JSON.parse(body).pix[0])

  test('of each type, once, and only for PIX of the account', async () => {
    const [received, sent] = [await receive(4), await send('resend1', 'returned@sim.trilho.test')]
    await efi.put(`/v2/pix/${received}/devolucao/back2`, { valor: '1.00' })
    await pollUntil(
      async () => (await efi.get(`/v2/pix/${received}/devolucao/back2`)).body,
      ({ status }) => status === 'DEVOLVIDO',
    )
    await pollUntil(
      async () => (await efi.findSent('resend1')).body,
      ({ devolucoes }) => devolucoes?.length === 1,
    )
    const webhookUrl = `${simulator.facts.inbox_url}/resent?ignorar=`
    await efi.put('/v2/webhook/loja@trilho.test', { webhookUrl })

    const accepted = await resend('PIX_RECEBIDO', received, received, `E${'0'.repeat(31)}`)
    expect([accepted.status, accepted.body]).toEqual([202, null])
    await resend('DEVOLUCAO_ENVIADA', received)
    await resend('PIX_ENVIADO', sent.endToEndId)
    await resend('DEVOLUCAO_RECEBIDA', sent.endToEndId)
    const resent = await pollUntil(listBodies, all => all.length >= 4)
    expect(
      resent.map(({ endToEndId, devolucoes = [] }) => [endToEndId, devolucoes.length]).toSorted(),
    ).toEqual(
      [
        [received, 0],
        [received, 1],
        [sent.endToEndId, 0],
        [sent.endToEndId, 1],
      ].toSorted(),
    )
    await simulator.control.clearInbox('resent')
    await advanceClock(31 * DAY_S)
    expect((await resend('PIX_RECEBIDO', received)).status).toBe(202)
    expect(await listBodies()).toEqual([])
  })

  test.each([
    ['an unknown type', { tipo: 'COBRANCA', e2eids: ['E1'] }],
    ['no PIX', { tipo: 'PIX_RECEBIDO', e2eids: [] }],
    ['more than a thousand', { tipo: 'PIX_RECEBIDO', e2eids: Array.from({ length: 1_001 }, () => 'E1') }],
  ])('%s is refused', async (_, body) => {
    const refusal = await efi.call('POST', '/v2/gn/webhook/reenviar', body)
    expect([refusal.status, refusal.body.violacoes.length]).toEqual([400, 1])
  })
})
