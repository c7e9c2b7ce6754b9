import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { moveToBankDay } from '../../packages/simulator/business-days.ts'
import { TRY_CODES } from '../../packages/simulator/recurrences/codes.ts'
import { computeCycle } from '../../packages/simulator/recurrences/cycles.ts'
import { BANKS } from './support/banks.ts'
import {
  ALL_TIME,
  BACEN_CONTRACT,
  openRecurrenceFixture,
  problemOf,
  type RecurrenceFixture,
} from './support/recurrences.ts'
import { pollUntil } from './support/simulator-fixture.ts'

const BASE = BANKS.inter.pix
let api: RecurrenceFixture
let bank: RecurrenceFixture['bank']
beforeAll(async () => {
  api = await openRecurrenceFixture()
  bank = api.bank
})
afterEach(() => api.control.clearFaults())
afterAll(async () => {
  await api.close()
  expect(bank.violations).toEqual([])
  // The Central Bank's document describes no 404 of POST /cobr, and no 400 of a look-up, which its text does.
  expect([...bank.undescribed].filter(one => one !== 'GET 400')).toEqual([])
})

const NO_RETRIES = { politicaRetentativa: 'NAO_PERMITE' }
const INVALID = 'CobROperacaoInvalida'

describe('a charge', () => {
  test('is created, scheduled and paid on its day, as any received PIX', async () => {
    const id = await api.createApproved()
    const txid = api.nextTxid()
    const devedor = { email: 'ana@example.com', cidade: 'Recife' }
    const created = await api.createCobr(id, 4, { txid, infoAdicional: 'Fatura 1', devedor })
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      idRec: id,
      txid,
      status: 'CRIADA',
      infoAdicional: 'Fatura 1',
      devedor,
      valor: { original: '50.00' },
      calendario: { criacao: await api.today() },
      politicaRetentativa: 'PERMITE_3R_7D',
      recebedor: { conta: '13525622', cnpj: '11222333000181' },
    })
    const scheduled = await pollUntil(
      () => api.findCobr(txid),
      ({ tentativas }) => tentativas[0].status === 'AGENDADA',
    )
    expect(scheduled).toMatchObject({
      status: 'ATIVA',
      tentativas: [{ tipo: 'AGND', dataLiquidacao: await api.inDays(4) }],
    })
    await api.control.advanceDay({ days: 3 })
    expect((await api.findCobr(txid)).status).toBe('ATIVA')
    await api.control.advanceDay()
    const paid = await api.findCobr(txid)
    const [{ endToEndId }] = paid.tentativas
    expect(paid).toMatchObject({
      status: 'CONCLUIDA',
      tentativas: [
        {
          status: 'PAGA',
          atualizacao: [{ status: 'SOLICITADA' }, { status: 'AGENDADA' }, { status: 'PAGA' }],
        },
      ],
      pix: [{ endToEndId, txid, valor: '50.00' }],
      atualizacao: [{ status: 'CRIADA' }, { status: 'ATIVA' }, { status: 'CONCLUIDA' }],
    })
    expect((await bank.get(`${BASE}/pix/${endToEndId}`)).body).toMatchObject({ txid, valor: '50.00' })
    // Inter's filter is called txId.
    const { text } = await bank.raw('GET', `${BASE}/pix?${ALL_TIME}&txId=${txid}`)
    expect(JSON.parse(text).pix).toHaveLength(1)
    await api.control.advanceDay({ days: 10 })
    expect(await api.findCobr(txid)).toEqual(paid)
    expect((await api.cancelCobr(txid)).status).toBe(400)
  })

  test('without a txid gets one of its bank', async () => {
    const idRec = await api.createApproved()
    const body = {
      idRec,
      calendario: { dataDeVencimento: await api.inDays(5) },
      valor: { original: '50.00' },
      ajusteDiaUtil: true,
      recebedor: { conta: '13525622', tipoConta: 'PAGAMENTO' },
    }
    const created = await bank.post(`${BASE}/cobr`, body)
    expect([created.status, created.body.txid]).toEqual([201, expect.stringMatching(/^[a-zA-Z0-9]{26,35}$/)])
  })

  test('moves its first try to a bank day, if it is told to', async () => {
    const adjusted = await api.createApproved()
    const today = await api.today()
    const untilSaturday = ((6 - new Date(`${today}T12:00:00Z`).getUTCDay() + 7) % 7) + 7
    const saturday = await api.inDays(untilSaturday)
    const moved = await api.createScheduled(adjusted, untilSaturday, { ajusteDiaUtil: true })
    expect((await api.findCobr(moved)).tentativas[0].dataLiquidacao).toBe(moveToBankDay(saturday))
    const kept = await api.createScheduled(await api.createApproved(), untilSaturday)
    expect((await api.findCobr(kept)).tentativas[0].dataLiquidacao).toBe(saturday)
  })

  test.each([
    [
      'a due day before today',
      { calendario: { dataDeVencimento: '2020-01-01' } },
      'cobr.calendario.dataDeVencimento',
    ],
    ['an amount of zero', { valor: { original: '0.00' } }, 'cobr.valor.original'],
    ['no amount', { valor: undefined }, 'cobr.valor'],
    ['no word about bank days', { ajusteDiaUtil: undefined }, 'cobr.ajusteDiaUtil'],
    ['an account of another', { recebedor: { conta: '1', tipoConta: 'CORRENTE' } }, 'cobr.recebedor.conta'],
    [
      'an unknown kind of account',
      { recebedor: { conta: '13525622', tipoConta: 'X' } },
      'cobr.recebedor.tipoConta',
    ],
  ])('is refused with %s', async (_, more, field) => {
    const id = await api.createApproved()
    expect(problemOf(await api.createCobr(id, 5, more))).toEqual([400, INVALID, field])
  })

  test('is refused for an unknown recurrence, one that has ended, and with a short or used txid', async () => {
    expect((await api.createCobr(`RN${'0'.repeat(27)}`, 5)).status).toBe(404)
    const id = await api.createApproved()
    const { txid } = await api.createCobr(id, 5)
    const other = await api.createApproved()
    expect(problemOf(await api.createCobr(other, 5, { txid }))).toEqual([400, INVALID, 'cobr.txid'])
    expect((await api.createCobr(other, 5, { txid: 'short' })).status).toBe(400)
    await api.control.cancelRecurrence(other)
    expect(problemOf(await api.createCobr(other, 5))).toEqual([400, INVALID, 'cobr.idRec'])
    expect(problemOf(await bank.get(`${BASE}/cobr/${api.nextTxid()}`)).slice(0, 2)).toEqual([
      404,
      'CobRNaoEncontrado',
    ])
  })

  test('is refused in a cycle that has one, unless that was cancelled or rejected', async () => {
    const calendario = { dataInicial: await api.inDays(10), periodicidade: 'MENSAL' }
    const id = await api.createApproved({ calendario })
    const first = await api.createScheduled(id, 10)
    expect(problemOf(await api.createCobr(id, 20))).toEqual([
      400,
      INVALID,
      'cobr.calendario.dataDeVencimento',
    ])
    expect((await api.createCobr(id, 45)).status).toBe(201)
    await api.cancelCobr(first)
    const second = await api.createScheduled(id, 20, { valor: { original: '49.99' } })
    // The amount is another than the payer has authorised.
    expect(await api.findCobr(second)).toMatchObject({
      status: 'REJEITADA',
      encerramento: { rejeicao: { codigo: 'AM09' } },
    })
    expect((await api.createCobr(id, 20)).status).toBe(201)
  })

  test('of a recurrence that waits for its payer is instructed when that is authorised', async () => {
    const { body } = await api.createRec()
    const { txid } = await api.createCobr(body.idRec, 3)
    expect(await api.listTries(txid)).toEqual([])
    await api.control.decideRecurrence(body.idRec, { decision: 'accept' })
    await pollUntil(
      () => api.listTries(txid),
      ([first]) => first === 'AGND AGENDADA',
    )
    const { body: forgotten } = await api.createRec()
    const { txid: other } = await api.createCobr(forgotten.idRec, 1, {})
    await api.control.advanceDay({ days: 9 })
    expect((await api.findCobr(other)).status).toBe('EXPIRADA')
  })

  test('is cancelled before the day of its first try, and not on it', async () => {
    const id = await api.createApproved()
    const txid = await api.createScheduled(id, 2)
    const cancelled = await api.cancelCobr(txid)
    expect(cancelled.body).toMatchObject({
      status: 'CANCELADA',
      encerramento: { cancelamento: { solicitante: 'USUARIO_RECEBEDOR', codigo: 'SLCR' } },
    })
    expect(await api.listTries(txid)).toEqual(['AGND CANCELADA'])
    expect(problemOf(await api.cancelCobr(txid))).toEqual([400, INVALID, 'cobr.status'])
    await api.control.setRecurrenceFunds(id, { value: 0 })
    const late = await api.createScheduled(id, 2)
    await api.control.advanceDay({ days: 2, until: 'MORNING' })
    expect(problemOf(await api.cancelCobr(late))).toEqual([400, INVALID, 'cobr.status'])
    expect((await api.cancelCobr(api.nextTxid())).status).toBe(404)
  })

  test.each(['ACCT', 'BLCK', 'CCLD', 'FAIL', 'OTHR', 'SLBD', 'SLCR'])(
    'is cancelled with %s, and its recurrence stays',
    async code => {
      const id = await api.createApproved()
      const txid = await api.createScheduled(id, 5)
      await api.control.cancelRecurrence(id, { txid, code })
      expect(await api.findCobr(txid)).toMatchObject({
        status: 'CANCELADA',
        encerramento: { cancelamento: { codigo: code } },
      })
      expect((await api.findRec(id)).status).toBe('APROVADA')
    },
  )

  test.each([
    ['SLDB', 'CCLD'],
    ['ACCL', 'ACCT'],
  ])('is cancelled with its recurrence: %s', async (code, chargeCode) => {
    const id = await api.createApproved()
    const txid = await api.createScheduled(id, 5)
    await api.control.cancelRecurrence(id, { code })
    expect(await api.findCobr(txid)).toMatchObject({
      status: 'CANCELADA',
      encerramento: { cancelamento: { codigo: chargeCode } },
    })
    await api.control.advanceDay({ days: 6 })
    expect(await api.listTries(txid)).toEqual(['AGND CANCELADA'])
  })

  test('are listed by time, recurrence, debtor and status', async () => {
    const devedor = { cnpj: '11444777000161', nome: 'Empresa' }
    const id = await api.createApproved({ vinculo: { contrato: 'listed', devedor } })
    const first = await api.createScheduled(id, 10)
    const second = await api.createScheduled(id, 50)
    await api.cancelCobr(second)
    const list = async (query: string) =>
      (await bank.get(`${BASE}/cobr?${ALL_TIME}${query}`)).body.cobsr.map(
        ({ txid }: { txid: string }) => txid,
      )
    expect(await list(`&idRec=${id}`)).toEqual([first, second])
    expect(await list('&cnpj=11444777000161')).toEqual([first, second])
    expect(await list('&cnpj=11444777000161&status=CANCELADA')).toEqual([second])
    expect(await list(`&idRec=${id}&cpf=52998224725`)).toEqual([])
    expect(problemOf(await bank.get(`${BASE}/cobr?${ALL_TIME}&cpf=52998224725&cnpj=11444777000161`))).toEqual(
      [400, 'CobRConsultaInvalida', 'cnpj'],
    )
  })
})

describe('a try', () => {
  const FINAL = ['AC05', 'AM09', 'DENC', 'DS27', 'DTED', 'MIDI', 'MSUC', 'NITX', 'RC09']

  test.each(TRY_CODES)('is refused with %s', async code => {
    const id = await api.createApproved()
    const txid = await api.createScheduled(id, 1)
    await api.control.refuseRecurrenceTries(id, { code, times: 2 })
    await api.control.advanceDay()
    const { tentativas, status, encerramento } = await api.findCobr(txid)
    expect(tentativas[0]).toMatchObject({ status: 'REJEITADA', rejeicao: { codigo: code } })
    expect(status).toBe(FINAL.includes(code) ? 'REJEITADA' : 'ATIVA')
    expect(encerramento?.rejeicao.codigo).toBe(FINAL.includes(code) ? code : undefined)
  })

  test('of a magic debtor is refused with the debtor’s code', async () => {
    const debtors = await api.control.listMagicDebtors()
    expect(debtors.map(({ code }) => code)).toEqual(['AP13', 'AP14', ...TRY_CODES])
    const { document: cpf } = debtors.find(({ code }) => code === 'NIEC')!
    const id = await api.createApproved({ vinculo: { contrato: 'm', devedor: { cpf, nome: 'M' } } })
    const txid = await api.createScheduled(id, 1)
    await api.control.advanceDay()
    expect((await api.findCobr(txid)).tentativas[0].rejeicao.codigo).toBe('NIEC')
  })

  test('is made again on the same day after an error at the payer’s bank', async () => {
    const id = await api.createApproved()
    const txid = await api.createScheduled(id, 1)
    await api.control.refuseRecurrenceTries(id, { code: 'AB10' })
    await api.control.advanceDay({ until: 'MORNING' })
    expect((await api.listTries(txid))[0]).toBe('AGND REJEITADA')
    await api.control.advanceDay({ days: 0 })
    expect(await api.listTries(txid)).toEqual(['AGND REJEITADA', 'RIFL PAGA'])
    const { tentativas, status } = await api.findCobr(txid)
    expect(status).toBe('CONCLUIDA')
    expect(tentativas[0].dataLiquidacao).toBe(tentativas[1].dataLiquidacao)
    expect(tentativas[0].endToEndId).not.toBe(tentativas[1].endToEndId)
  })

  test('finds money in the evening that there was not in the morning', async () => {
    const id = await api.createApproved()
    const txid = await api.createScheduled(id, 1)
    await api.control.setRecurrenceFunds(id, { value: 49.99, evening_value: 50 })
    await api.control.advanceDay({ until: 'MORNING' })
    expect(await api.listTries(txid)).toEqual(['AGND AGENDADA'])
    await api.control.advanceDay({ days: 0 })
    expect(await api.listTries(txid)).toEqual(['AGND PAGA'])
  })

  test('above the ceiling is refused with AM02 when it is scheduled, and on its day', async () => {
    const id = await api.createApproved()
    await api.control.setRecurrenceCeiling(id, 49.99)
    const refused = await api.createScheduled(id, 1)
    expect(await api.findCobr(refused)).toMatchObject({
      status: 'ATIVA',
      tentativas: [{ status: 'REJEITADA', rejeicao: { codigo: 'AM02' } }],
    })
    await api.control.setRecurrenceCeiling(id, null)
    const later = await api.createScheduled(id, 40)
    await api.control.setRecurrenceCeiling(id, 10)
    await api.control.advanceDay({ days: 40 })
    expect((await api.findCobr(later)).tentativas[0].rejeicao.codigo).toBe('AM02')
  })
})

describe('retries', () => {
  test('are for a future day, one at a time, at most three in seven days', async () => {
    const id = await api.createApproved()
    const txid = await api.createScheduled(id, 1)
    expect(problemOf(await api.retry(txid, await api.inDays(3)))).toEqual([400, INVALID, 'data'])
    await api.control.setRecurrenceFunds(id, { value: 0 })
    await api.control.advanceDay()
    expect(await api.listTries(txid)).toEqual(['AGND EXPIRADA'])
    for (const day of [await api.today(), '2020-01-01', '2020-99-99', await api.inDays(8)])
      expect(problemOf(await api.retry(txid, day))).toEqual([400, INVALID, 'data'])
    const last = await api.inDays(7)
    for (let retry = 1; retry <= 3; retry++) {
      const ordered = await api.retry(txid, await api.inDays(1))
      expect(ordered.status).toBe(201)
      expect(ordered.body.tentativas.at(-1)).toMatchObject({ tipo: 'NTAG', status: 'SOLICITADA' })
      expect((await api.retry(txid, last)).status).toBe(400)
      await api.control.advanceDay()
    }
    expect((await api.retry(txid, last)).status).toBe(400)
    expect(await api.listTries(txid)).toEqual(
      ['AGND', 'NTAG', 'NTAG', 'NTAG'].map(kind => `${kind} EXPIRADA`),
    )
    await api.control.advanceDay({ days: 4 })
    expect((await api.findCobr(txid)).status).toBe('ATIVA')
    await api.control.advanceDay()
    expect((await api.findCobr(txid)).status).toBe('EXPIRADA')
    expect((await api.retry(txid, await api.inDays(1))).status).toBe(400)
    expect((await api.retry(api.nextTxid(), last)).status).toBe(404)
  })

  test('pay a charge', async () => {
    const id = await api.createApproved()
    const txid = await api.createScheduled(id, 1)
    await api.control.refuseRecurrenceTries(id, { code: 'AC06' })
    await api.control.advanceDay()
    await api.retry(txid, await api.inDays(7))
    await api.control.advanceDay({ days: 7 })
    expect(await api.listTries(txid)).toEqual(['AGND REJEITADA', 'NTAG PAGA'])
  })

  test('are refused where the policy does not allow them, and the charge expires after its day', async () => {
    const id = await api.createApproved(NO_RETRIES)
    const txid = await api.createScheduled(id, 1)
    await api.control.refuseRecurrenceTries(id, { code: 'UDEI' })
    await api.control.advanceDay()
    const { status, body } = await api.retry(txid, await api.inDays(1))
    expect([status, body.detail]).toEqual([
      400,
      'A política configurada na recorrência não permite retentativa de cobrança.',
    ])
    expect((await api.findCobr(txid)).status).toBe('ATIVA')
    await api.control.advanceDay()
    expect((await api.findCobr(txid)).status).toBe('EXPIRADA')
  })
})

describe('the webhook of charges', () => {
  const inbox = 'cobsr'
  const listNotified = async () => (await api.control.listInbox(inbox)).map(({ body }) => JSON.parse(body))
  const listStatuses = async () =>
    (await listNotified()).flatMap(({ cobsr }) => cobsr ?? []).map(({ status }) => status)

  test('gets each change, and that of received PIX the payment', async () => {
    const webhookUrl = `${api.simulator.facts.inbox_url}/${inbox}`
    expect((await bank.put(`${BASE}/webhookcobr`, { webhookUrl })).status).toBe(200)
    expect((await bank.get(`${BASE}/webhookcobr`)).body).toMatchObject({ webhookUrl })
    await bank.raw('PUT', `${BASE}/webhook/inter@trilho.test`, { webhookUrl })
    const id = await api.createApproved()
    const txid = await api.createScheduled(id, 1)
    await api.control.advanceDay()
    const all = await pollUntil(listNotified, ({ length }) => length === 3)
    const paid = all.find(({ cobsr }) => cobsr?.[0].status === 'CONCLUIDA')
    expect(paid.cobsr[0]).toMatchObject({ idRec: id, txid, pix: [{ txid, valor: '50.00' }] })
    expect(all.find(({ pix }) => pix)).toMatchObject({ pix: [{ txid }] })
    for (const body of all.filter(({ cobsr }) => cobsr))
      expect(BACEN_CONTRACT.validateCallback({ method: 'PUT', path: '/webhookcobr', body })).toEqual([])
  })

  test('loses a notification by a fault, and gets none after it is deleted', async () => {
    await api.control.clearInbox(inbox)
    const fault = { provider: 'PROVIDER_D', fault: 'notification_lost' } as const
    await api.control.addFault({ ...fault, operation: 'findAutomaticCharge' })
    const id = await api.createApproved()
    const txid = await api.createScheduled(id, 1)
    await api.control.addFault({ ...fault, operation: 'findAutomaticCharge' })
    await api.control.advanceDay()
    const [only] = await pollUntil(listNotified, ({ length }) => length === 1)
    expect(only.pix[0].txid).toBe(txid)
    expect(await listStatuses()).toEqual([])
    expect((await bank.delete(`${BASE}/webhookcobr`)).status).toBe(204)
    expect((await bank.get(`${BASE}/webhookcobr`)).status).toBe(404)
  })
})

describe('faults of a call', () => {
  test('an order that timed out is done or absent', async () => {
    const id = await api.createApproved()
    const [done, absent] = [api.nextTxid(), api.nextTxid()]
    const fault = { provider: 'PROVIDER_D', operation: 'issueAutomaticCharge', delay_ms: 1 } as const
    await api.control.addFault({ ...fault, fault: 'timeout_then_absent' })
    await expect(api.createCobr(id, 5, { txid: absent })).rejects.toThrow()
    await api.control.addFault({ ...fault, fault: 'timeout_then_done' })
    await expect(api.createCobr(id, 5, { txid: done })).rejects.toThrow()
    expect((await bank.get(`${BASE}/cobr/${absent}`)).status).toBe(404)
    expect((await api.findCobr(done)).txid).toBe(done)
  })

  test('a silent charge is paid without notifications', async () => {
    await api.control.clearInbox('silent')
    const webhookUrl = `${api.simulator.facts.inbox_url}/silent`
    await bank.put(`${BASE}/webhookcobr`, { webhookUrl })
    const id = await api.createApproved()
    await api.control.addFault({
      provider: 'PROVIDER_D',
      operation: 'issueAutomaticCharge',
      fault: 'accepted_then_silent',
    })
    const txid = await api.createScheduled(id, 1)
    await api.control.advanceDay()
    expect((await api.findCobr(txid)).status).toBe('CONCLUIDA')
    expect(await api.control.listInbox('silent')).toEqual([])
  })
})

describe('days', () => {
  test('pass by the simulator’s clock as well', async () => {
    const [id, other] = [await api.createApproved(), await api.createApproved()]
    await api.createScheduled(id, 1)
    await bank.put(`${BASE}/webhookrec`, { webhookUrl: `${api.simulator.facts.inbox_url}/clock` })
    api.simulator.advanceClock(86_400)
    // What is scheduled next, a notification, sets the timer by the advanced clock. The token of the API has expired.
    await api.control.cancelRecurrence(other)
    await pollUntil(
      () => api.control.findRecurrence(id),
      ({ charges: [charge] }) => charge?.status === 'completed',
    )
  })

  test('and recurrences survive a restart; the clock of other objects stays', async () => {
    const first = await openRecurrenceFixture()
    await first.control.advanceDay({ days: 30 })
    const day = await first.today()
    const id = await first.createApproved()
    const txid = await first.createScheduled(id, 2)
    const cob = { calendario: { expiracao: 60 }, valor: { original: '1.00' }, chave: 'inter@trilho.test' }
    const { body } = await first.bank.put(`${BASE}/cob/${first.nextTxid()}`, cob)
    expect(Math.abs(Date.now() - Date.parse(body.calendario.criacao))).toBeLessThan(600_000)
    await first.stop()
    const second = await openRecurrenceFixture({ home: first.simulator.home })
    expect(await second.today()).toBe(day)
    await second.control.advanceDay({ days: 2 })
    const paid = await second.findCobr(txid)
    expect(paid.status).toBe('CONCLUIDA')
    // The PIX has the time of the simulator's clock, by which lists of PIX are read.
    expect(Math.abs(Date.now() - Date.parse(paid.pix[0].horario))).toBeLessThan(600_000)
    await second.close()
  })
})

test.each([
  ['weekly', '2026-01-05', '2026-01-05', 0],
  ['weekly', '2026-01-05', '2026-01-11', 0],
  ['weekly', '2026-01-05', '2026-01-12', 1],
  ['weekly', '2026-01-05', '2026-01-04', -1],
  ['monthly', '2026-01-31', '2026-02-27', 0],
  ['monthly', '2026-01-31', '2026-02-28', 1],
  ['monthly', '2026-01-31', '2026-03-30', 1],
  ['monthly', '2026-01-31', '2026-03-31', 2],
  ['monthly', '2026-01-15', '2025-12-31', -1],
  ['quarterly', '2026-01-15', '2026-04-14', 0],
  ['quarterly', '2026-01-15', '2026-04-15', 1],
  ['semiannual', '2026-08-31', '2027-02-28', 1],
  ['annual', '2028-02-29', '2029-02-27', 0],
  ['annual', '2028-02-29', '2029-02-28', 1],
] as const)('the cycles of a %s recurrence from %s: %s is in cycle %i', (frequency, startsOn, day, cycle) => {
  expect(computeCycle({ frequency, startsOn }, day)).toBe(cycle)
})
