import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import * as efiTypes from 'sdk-node-apis-efi'
import { shiftDay } from '../../packages/simulator/business-days.ts'
import type { EfiClient } from './support/efi-client.ts'
import { ALL_TIME, BACEN_CONTRACT, DEBTOR, problemOf, RECEIVER } from './support/recurrences.ts'
import { openSimulatorFixture, pollUntil, type SimulatorFixture } from './support/simulator-fixture.ts'

/**
 * Recurrences of Efí; bodies and answers are validated by the strict schemas of its official SDK, and answers by the Central Bank's
 * document too.
 */
let simulator: SimulatorFixture
let shop: EfiClient
let today = ''
beforeAll(async () => {
  simulator = await openSimulatorFixture()
  shop = await simulator.createShop()
  today = (await simulator.control.findDay()).today
})
afterAll(() => simulator.close())

type Schema = { safeParse(value: unknown): { error?: { issues: unknown[] } } }
const schemas = efiTypes as unknown as Record<string, Schema | undefined>

/** Calls Efí's API; the SDK's schemas of that name accept the body and the answer. */
async function call(name: string, method: string, path: string, body?: unknown) {
  const bodySchema = schemas[`${name}BodySchema`]
  if (body !== undefined) expect(bodySchema!.safeParse(body).error?.issues ?? []).toEqual([])
  const response = await shop.call(method, `/v2${path}`, body)
  expect(response.status).toBeLessThan(300)
  const answerSchema = schemas[`${name}ResponseSchema`]
  if (answerSchema) expect(answerSchema.safeParse(response.body).error?.issues ?? []).toEqual([])
  const answer = {
    method,
    path: path.split('?')[0]!,
    status: response.status,
    body: response.body ?? undefined,
  }
  // The SDK's strict type of the recurrence in a request lacks the bank that the Central Bank's document requires.
  const isOfSdk = (violation: string) => /recPayload.*ispbParticipante/.test(violation)
  expect(BACEN_CONTRACT.validateResponse(answer).filter(one => !isOfSdk(one))).toEqual([])
  return response.body
}
const inDays = (days: number) => shiftDay(today, days)
const body = (more: object = {}) => ({
  vinculo: { contrato: 'c1', devedor: DEBTOR },
  calendario: { dataInicial: inDays(10), periodicidade: 'MENSAL' },
  valor: { valorRec: '50.00' },
  politicaRetentativa: 'PERMITE_3R_7D',
  ...more,
})
const createRec = async () => {
  const { id: loc } = await call('PixCreateLocationRecurrenceAutomatic', 'POST', '/locrec')
  return call('PixCreateRecurrenceAutomatic', 'POST', '/rec', body({ loc }))
}
const createCobr = (idRec: string, txid: string, day: string) =>
  call('PixCreateAutomaticChargeTxid', 'PUT', `/cobr/${txid}`, {
    idRec,
    calendario: { dataDeVencimento: day },
    valor: { original: '50.00' },
    ajusteDiaUtil: false,
    recebedor: RECEIVER,
  })
const findCobr = (txid: string) => call('PixDetailAutomaticCharge', 'GET', `/cobr/${txid}`)
const scheduled = (txid: string) =>
  pollUntil(
    () => findCobr(txid),
    ({ tentativas }) => tentativas.at(-1).status === 'AGENDADA',
  )

describe('recurrences of Efí', () => {
  test('its schemas are found', () => {
    for (const name of ['PixCreateRecurrenceAutomaticBody', 'PixDetailAutomaticChargeResponse'])
      expect(schemas[`${name}Schema`]).toBeDefined()
  })

  test('a recurrence is created, requested, authorised, found, listed, revised and cancelled', async () => {
    const { idRec } = await createRec()
    const solicrec = await call('PixCreateRequestRecurrenceAutomatic', 'POST', '/solicrec', {
      idRec,
      calendario: { dataExpiracaoSolicitacao: `${inDays(2)}T12:00:00Z` },
      destinatario: { agencia: '2569', conta: '550689', cpf: DEBTOR.cpf, ispbParticipante: '91193552' },
    })
    expect(solicrec.idSolicRec).toMatch(/^SC09089356/)
    await simulator.control.decideRecurrence(idRec, { decision: 'accept' })
    const shown = await call('PixDetailRecurrenceAutomatic', 'GET', `/rec/${idRec}`)
    expect(shown).toMatchObject({ status: 'APROVADA', dadosQR: { jornada: 'JORNADA_2' } })
    const listed = await shop.get(`/v2/rec?${ALL_TIME}&cpf=${DEBTOR.cpf}`)
    expect(listed.body.recs).toMatchObject([{ idRec }])
    const renamed = { vinculo: { devedor: { nome: 'Ana Lima' } } }
    await call('PixUpdateRecurrenceAutomatic', 'PATCH', `/rec/${idRec}`, renamed)
    const path = `/rec/${idRec}`
    const cancelled = await call('PixUpdateRecurrenceAutomatic', 'PATCH', path, { status: 'CANCELADA' })
    expect(cancelled.status).toBe('CANCELADA')
  })

  test('a charge fails, is retried and paid; a try has no code, as in the SDK', async () => {
    const { idRec } = await createRec()
    await simulator.control.decideRecurrence(idRec, { decision: 'accept' })
    const txid = 'e'.repeat(32)
    await createCobr(idRec, txid, inDays(1))
    await scheduled(txid)
    await simulator.control.refuseRecurrenceTries(idRec, { code: 'AC06' })
    await simulator.control.advanceDay()
    const [failed] = (await findCobr(txid)).tentativas
    expect(failed).toMatchObject({ tipo: 'AGND', status: 'REJEITADA' })
    expect(failed).not.toHaveProperty('rejeicao')
    await simulator.createShop({ options: { unpublished_fields: true } })
    expect((await shop.get(`/v2/cobr/${txid}`)).body.tentativas[0].rejeicao.codigo).toBe('AC06')
    await simulator.createShop()
    await call('PixRetryRequestAutomatic', 'POST', `/cobr/${txid}/retentativa/${inDays(2)}`)
    await simulator.control.advanceDay()
    today = (await simulator.control.findDay()).today
    expect(await findCobr(txid)).toMatchObject({ status: 'CONCLUIDA', pix: [{ txid, valor: '50.00' }] })
    const list = await call('PixListAutomaticCharge', 'GET', `/cobr?${ALL_TIME}&idRec=${idRec}`)
    expect(list.cobsr).toHaveLength(1)
    const { body: pix } = await shop.get(`/v2/pix?${ALL_TIME}&txid=${txid}`)
    expect(pix.pix).toHaveLength(1)
  })

  test('a charge is cancelled', async () => {
    const { idRec } = await createRec()
    await simulator.control.decideRecurrence(idRec, { decision: 'accept' })
    const txid = 'f'.repeat(32)
    await createCobr(idRec, txid, inDays(5))
    const path = `/cobr/${txid}`
    const cancelled = await call('PixUpdateAutomaticCharge', 'PATCH', path, { status: 'CANCELADA' })
    expect(cancelled.encerramento.cancelamento.codigo).toBe('SLCR')
    expect((await findCobr(txid)).status).toBe('CANCELADA')
  })

  test('unknown fields are refused, and what the Central Bank’s text says', async () => {
    const convenio = await shop.call('POST', '/v2/rec', body({ recebedor: { convenio: 'x' } }))
    expect([convenio.status, convenio.body.nome]).toEqual([400, 'json_invalido'])
    const early = await shop.call(
      'POST',
      '/v2/rec',
      body({ calendario: { dataInicial: '2020-01-01', periodicidade: 'MENSAL' } }),
    )
    expect(problemOf(early)).toEqual([400, 'RecOperacaoInvalida', 'rec.calendario.dataInicial'])
    const { idRec } = await createRec()
    const txid = 'd'.repeat(32)
    await createCobr(idRec, txid, inDays(5))
    const again = { calendario: { dataDeVencimento: inDays(80) }, valor: { original: '50.00' } }
    const repeated = await shop.put(`/v2/cobr/${txid}`, {
      ...again,
      idRec,
      ajusteDiaUtil: true,
      recebedor: RECEIVER,
    })
    expect([repeated.status, repeated.body.nome]).toEqual([409, 'txid_duplicado'])
  })

  test('webhooks of recurrences and charges are called at the names of both', async () => {
    const webhookUrl = `${simulator.facts.inbox_url}/efi-recurring`
    for (const [kind, name] of [
      ['rec', 'PixListWebhookRecurrenceAutomatic'],
      ['cobr', 'PixListWebhookAutomaticCharge'],
    ] as const) {
      await call('PixConfigWebhookRecurrenceAutomatic', 'PUT', `/webhook${kind}`, { webhookUrl })
      expect((await call(name, 'GET', `/webhook${kind}`)).webhookUrl).toBe(webhookUrl)
    }
    const { idRec } = await createRec()
    await simulator.control.decideRecurrence(idRec, { decision: 'accept' })
    const txid = 'a'.repeat(32)
    await createCobr(idRec, txid, inDays(1))
    await scheduled(txid)
    await simulator.control.cancelRecurrence(idRec)
    const bodies = await pollUntil(
      async () => (await simulator.control.listInbox('efi-recurring')).map(one => JSON.parse(one.body)),
      ({ length }) => length === 4,
    )
    const statuses = bodies.flatMap(({ recs = [], cobsr = [] }) =>
      [...recs, ...cobsr].map(({ status }: { status: string }) => status),
    )
    expect(statuses.toSorted()).toEqual(['APROVADA', 'ATIVA', 'CANCELADA', 'CANCELADA'])
    for (const item of bodies) {
      const path = 'recs' in item ? '/webhookrec' : '/webhookcobr'
      expect(BACEN_CONTRACT.validateCallback({ method: 'PUT', path, body: item })).toEqual([])
    }
  })
})
