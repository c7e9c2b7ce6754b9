import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { fetch } from 'undici'
import { parseBrCode } from '../../packages/simulator/br-code.ts'
import { BANKS, createBankCaller, putBankAccount } from './support/banks.ts'
import {
  ALL_TIME,
  BACEN_CONTRACT,
  DEBTOR,
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
  // The Central Bank's document describes no 400 of a look-up, which its text does.
  expect([...bank.undescribed].filter(one => one !== 'GET 400')).toEqual([])
})

const createLocation = async () => (await bank.post(`${BASE}/locrec`)).body
const request = async (idRec: string, more: object = {}) =>
  bank.post(`${BASE}/solicrec`, {
    idRec,
    calendario: { dataExpiracaoSolicitacao: `${await api.inDays(2)}T12:00:00Z` },
    destinatario: { agencia: '2569', conta: '550689', cpf: '15350946056', ispbParticipante: '91193552' },
    ...more,
  })
const findRequest = async (id: string) => (await bank.get(`${BASE}/solicrec/${id}`)).body
const received = (id: string) =>
  pollUntil(
    () => findRequest(id),
    ({ status }) => !['CRIADA', 'ENVIADA'].includes(status),
  )

describe('a recurrence', () => {
  test('is created, with an id of the published form', async () => {
    const { status, body } = await api.createRec()
    expect(status).toBe(201)
    const day = (await api.today()).replaceAll('-', '')
    expect(body.idRec).toMatch(new RegExp(`^RR00416968${day}[a-zA-Z0-9]{11}$`))
    expect(body).toMatchObject({
      status: 'CRIADA',
      vinculo: { devedor: DEBTOR, objeto: 'Internet' },
      valor: { valorRec: '50.00' },
      recebedor: { cnpj: '11222333000181', nome: 'Loja São João' },
      atualizacao: [{ status: 'CRIADA' }],
      ativacao: { tipoJornada: 'AGUARDANDO_DEFINICAO' },
    })
    expect(body).not.toHaveProperty('loc')
    expect((await api.createRec({ politicaRetentativa: 'NAO_PERMITE' })).body.idRec).toMatch(/^RN/)
  })

  test.each([
    [
      'an earlier first day',
      { calendario: { dataInicial: '2020-01-01', periodicidade: 'MENSAL' } },
      'rec.calendario.dataInicial',
    ],
    [
      'a last day before the first',
      { calendario: { dataInicial: '2090-01-02', dataFinal: '2090-01-01', periodicidade: 'MENSAL' } },
      'rec.calendario.dataFinal',
    ],
    ['two amounts', { valor: { valorRec: '1.00', valorMinimoRecebedor: '1.00' } }, 'rec.valor'],
    ['an amount of zero', { valor: { valorRec: '0.00' } }, 'rec.valor.valorRec'],
    ['no location of that id', { loc: 999_999 }, 'rec.loc'],
    ['another policy', { politicaRetentativa: 'SEMPRE' }, 'rec.politicaRetentativa'],
    ['no debtor', { vinculo: { contrato: '1' } }, 'rec.vinculo.devedor'],
  ])('is refused with %s', async (_, more, field) => {
    expect(problemOf(await api.createRec(more))).toEqual([400, 'RecOperacaoInvalida', field])
  })

  test('of another account is not found', async () => {
    const { body } = await api.createRec()
    expect(problemOf(await bank.get(`${BASE}/rec/RN${'0'.repeat(27)}`)).slice(0, 2)).toEqual([
      404,
      'RecNaoEncontrada',
    ])
    const accounts = { client_id: 'inter-other', keys: ['other@trilho.test'] }
    await api.control.putAccount('other', {
      provider: 'PROVIDER_D',
      dialect: 'inter',
      client_secret: 'inter-secret',
      holder: { name: 'Outra', document: '11444777000161' },
      ispb: '00416968',
      ...accounts,
    })
    const other = await createBankCaller(api.simulator, 'inter', {
      clientId: 'inter-other',
      described: [{ prefix: BASE, contract: BACEN_CONTRACT }],
    })
    await other.authorize({ ...BANKS.inter.credentials, client_id: 'inter-other', scope: 'rec.read' })
    expect((await other.get(`${BASE}/rec/${body.idRec}`)).status).toBe(404)
    expect((await other.get(`${BASE}/cobr?${ALL_TIME}`)).status).toBe(403)
    await other.close()
  })

  test('is revised while it is created; an approved one keeps its first day and location', async () => {
    const { body } = await api.createRec()
    const { id: loc } = await createLocation()
    const dataInicial = await api.inDays(20)
    const revised = await api.patchRec(body.idRec, {
      vinculo: { devedor: { nome: 'Ana Lima' } },
      calendario: { dataInicial },
      loc,
      ativacao: { dadosJornada: { txid: 'a'.repeat(32) } },
    })
    expect(revised.body).toMatchObject({
      vinculo: { devedor: { ...DEBTOR, nome: 'Ana Lima' } },
      calendario: { dataInicial },
      loc: { id: loc, idRec: body.idRec },
      ativacao: { tipoJornada: 'AGUARDANDO_DEFINICAO', dadosJornada: { txid: 'a'.repeat(32) } },
    })
    const early = await api.patchRec(body.idRec, { calendario: { dataInicial: '2020-01-01' } })
    expect(problemOf(early)).toEqual([400, 'RecOperacaoInvalida', 'rec.calendario.dataInicial'])
    await api.control.decideRecurrence(body.idRec, { decision: 'accept' })
    for (const [change, field] of [
      [{ calendario: { dataInicial } }, 'rec.calendario.dataInicial'],
      [{ loc }, 'rec.loc'],
    ] as const)
      expect(problemOf(await api.patchRec(body.idRec, change))).toEqual([400, 'RecOperacaoInvalida', field])
    expect((await api.patchRec(body.idRec, { vinculo: { devedor: { nome: 'Ana' } } })).status).toBe(200)
  })

  test('is cancelled by its receiver, once', async () => {
    const id = await api.createApproved()
    const cancelled = await api.patchRec(id, { status: 'CANCELADA' })
    expect(cancelled.body).toMatchObject({
      status: 'CANCELADA',
      encerramento: { cancelamento: { solicitante: 'USUARIO_RECEBEDOR', codigo: 'SLCR' } },
    })
    expect(cancelled.body.atualizacao.map((one: { status: string }) => one.status)).toEqual([
      'CRIADA',
      'APROVADA',
      'CANCELADA',
    ])
    expect(problemOf(await api.patchRec(id, { status: 'CANCELADA' }))).toEqual([
      400,
      'RecOperacaoInvalida',
      'rec.status',
    ])
  })

  test.each([
    ['SLDB', 'USUARIO_PAGADOR'],
    ['ACCL', 'PSP_PAGADOR'],
    ['DCSD', 'PSP_PAGADOR'],
    ['FRUD', 'PSP_PAGADOR'],
    ['CPCL', 'PSP_RECEBEDOR'],
    ['ERSL', 'PSP_RECEBEDOR'],
    ['PCFD', 'PSP_RECEBEDOR'],
    ['SLCR', 'USUARIO_RECEBEDOR'],
  ])('is cancelled with %s by %s', async (code, solicitante) => {
    const id = await api.createApproved()
    await api.control.cancelRecurrence(id, { code })
    expect((await api.findRec(id)).encerramento).toMatchObject({
      cancelamento: { solicitante, codigo: code },
    })
    await expect(api.control.cancelRecurrence(id)).rejects.toMatchObject({ status: 409 })
  })

  test.each(['AP13', 'AP14'] as const)('is rejected with %s', async code => {
    const { body } = await api.createRec()
    await api.control.decideRecurrence(body.idRec, { decision: 'reject', code })
    expect(await api.findRec(body.idRec)).toMatchObject({
      status: 'REJEITADA',
      encerramento: { rejeicao: { codigo: code } },
    })
    await expect(api.control.decideRecurrence(body.idRec, { decision: 'accept' })).rejects.toMatchObject({
      status: 409,
    })
  })

  test('a ceiling below the minimum of the receiver is refused', async () => {
    const { body } = await api.createRec({ valor: { valorMinimoRecebedor: '30.00' } })
    const answer = { decision: 'accept', ceiling: 29.99 } as const
    await expect(api.control.decideRecurrence(body.idRec, answer)).rejects.toMatchObject({ status: 409 })
    await api.control.decideRecurrence(body.idRec, { ...answer, ceiling: 30 })
    await expect(api.control.setRecurrenceCeiling(body.idRec, 10)).rejects.toMatchObject({ status: 409 })
    expect((await api.control.setRecurrenceCeiling(body.idRec, 99)).ceiling).toBe(99)
  })

  test('are listed by time, debtor, status and location', async () => {
    const cnpj = '11444777000161'
    const debtor = { cnpj, nome: 'Empresa' }
    const { id: loc } = await createLocation()
    const convenio = { recebedor: { convenio: 'Master' } }
    const vinculo = { contrato: 'listed', devedor: debtor }
    const { body: located } = await api.createRec({ vinculo, loc, ...convenio })
    const { body: other } = await api.createRec({ vinculo })
    await api.control.decideRecurrence(other.idRec, { decision: 'accept' })
    const list = async (query: string) =>
      (await bank.get(`${BASE}/rec?${ALL_TIME}&cnpj=${cnpj}${query}`)).body.recs.map(
        ({ idRec }: { idRec: string }) => idRec,
      )
    expect(await list('')).toEqual([located.idRec, other.idRec])
    expect(await list('&locationPresente=true')).toEqual([located.idRec])
    expect(await list('&locationPresente=false')).toEqual([other.idRec])
    expect(await list('&status=APROVADA')).toEqual([other.idRec])
    expect(await list('&convenio=Master')).toEqual([located.idRec])
    const page = await bank.get(`${BASE}/rec?${ALL_TIME}&paginacao.itensPorPagina=1&paginacao.paginaAtual=1`)
    expect(page.body.recs).toHaveLength(1)
    expect((await bank.get(`${BASE}/rec?${ALL_TIME}&cpf=${DEBTOR.cpf}`)).body.recs).not.toHaveLength(0)
    expect(
      (await bank.get(`${BASE}/rec?inicio=2020-01-01T00:00:00Z&fim=2020-01-02T00:00:00Z`)).body.recs,
    ).toEqual([])
    for (const [query, field] of [
      [`${ALL_TIME}&cpf=${DEBTOR.cpf}&cnpj=${cnpj}`, 'cnpj'],
      ['inicio=2030-01-01T00:00:00Z&fim=2020-01-01T00:00:00Z', 'fim'],
      ['inicio=2020-01-01T00:00:00Z', 'fim'],
    ] as const)
      expect(problemOf(await bank.get(`${BASE}/rec?${query}`))).toEqual([400, 'RecConsultaInvalida', field])
  })
})

describe('a location', () => {
  test('is created, found, listed, used once and left', async () => {
    const created = await createLocation()
    expect(created.location).toMatch(/\/qr\/v2\/rec\/[0-9a-f]{32}$/)
    const { body } = await api.createRec({ loc: created.id })
    expect(body.loc).toMatchObject({ id: created.id, location: created.location, idRec: body.idRec })
    const used = await api.createRec({ loc: created.id })
    expect(problemOf(used)).toEqual([400, 'RecOperacaoInvalida', 'rec.loc'])
    expect((await bank.get(`${BASE}/locrec/${created.id}`)).body.idRec).toBe(body.idRec)
    const list = async (isUsed: boolean) =>
      (await bank.get(`${BASE}/locrec?${ALL_TIME}&idRecPresente=${isUsed}`)).body.loc.map(
        ({ id }: { id: number }) => id,
      )
    expect(await list(true)).toContain(created.id)
    expect(await list(false)).not.toContain(created.id)
    expect((await bank.delete(`${BASE}/locrec/${created.id}/idRec`)).body).not.toHaveProperty('idRec')
    expect(await api.findRec(body.idRec)).not.toHaveProperty('loc')
    expect(await list(false)).toContain(created.id)
    expect(problemOf(await bank.get(`${BASE}/locrec/999999`)).slice(0, 2)).toEqual([
      404,
      'PayloadLocationRecNaoEncontrado',
    ])
  })
})

describe('a consent request (journey 1)', () => {
  test('reaches the payer, who authorises', async () => {
    const { body: rec } = await api.createRec()
    const created = await request(rec.idRec)
    expect(created.status).toBe(201)
    expect(created.body).toMatchObject({
      status: 'CRIADA',
      idRec: rec.idRec,
      idSolicRec: expect.stringMatching(/^SC00416968\d{8}/),
      recPayload: { idRec: rec.idRec, recebedor: { ispbParticipante: '00416968' } },
    })
    const { idSolicRec } = created.body
    expect(await received(idSolicRec)).toMatchObject({
      status: 'RECEBIDA',
      atualizacao: [{ status: 'CRIADA' }, { status: 'ENVIADA' }, { status: 'RECEBIDA' }],
    })
    const again = await request(rec.idRec)
    expect(problemOf(again)).toEqual([400, 'SolicRecOperacaoInvalida', 'solicrec.idRec'])
    await api.control.decideRecurrence(rec.idRec, { decision: 'accept' })
    expect((await findRequest(idSolicRec)).status).toBe('ACEITA')
    expect(await api.findRec(rec.idRec)).toMatchObject({
      status: 'APROVADA',
      ativacao: { tipoJornada: 'JORNADA_1' },
      pagador: { cpf: '15350946056', ispbParticipante: '91193552' },
      solicitacao: [{ idSolicRec, status: 'ACEITA' }],
    })
    expect((await request(rec.idRec)).status).toBe(400)
  })

  test('is rejected by the payer', async () => {
    const { body: rec } = await api.createRec()
    const { idSolicRec } = (await request(rec.idRec)).body
    await received(idSolicRec)
    await api.control.decideRecurrence(rec.idRec, { decision: 'reject' })
    expect((await findRequest(idSolicRec)).status).toBe('REJEITADA')
    expect((await api.findRec(rec.idRec)).status).toBe('REJEITADA')
  })

  test('of a magic debtor is rejected by itself', async () => {
    const debtors = await api.control.listMagicDebtors()
    const { document: cpf } = debtors.find(({ code }) => code === 'AP14')!
    const { body: rec } = await api.createRec({ vinculo: { contrato: 'm', devedor: { cpf, nome: 'M' } } })
    await request(rec.idRec)
    const ended = await pollUntil(
      () => api.findRec(rec.idRec),
      ({ status }) => status !== 'CRIADA',
    )
    expect(ended).toMatchObject({ status: 'REJEITADA', encerramento: { rejeicao: { codigo: 'AP14' } } })
  })

  test('is cancelled, and another one may follow', async () => {
    const { body: rec } = await api.createRec()
    const { idSolicRec } = (await request(rec.idRec)).body
    const path = `${BASE}/solicrec/${idSolicRec}`
    expect(await bank.patch(path, { status: 'CANCELADA' })).toMatchObject({
      status: 201,
      body: { status: 'CANCELADA' },
    })
    expect(problemOf(await bank.patch(path, { status: 'CANCELADA' }))).toEqual([
      400,
      'SolicRecOperacaoInvalida',
      'solicrec.status',
    ])
    expect((await request(rec.idRec)).status).toBe(201)
    await api.patchRec(rec.idRec, { status: 'CANCELADA' })
    const { solicitacao } = await api.findRec(rec.idRec)
    expect(solicitacao.map(({ status }: { status: string }) => status)).toEqual(['CANCELADA', 'CANCELADA'])
  })

  test('is cancelled where the payer authorises by a code', async () => {
    const { id: loc } = await createLocation()
    const { body: rec } = await api.createRec({ loc })
    const { idSolicRec } = (await request(rec.idRec)).body
    await received(idSolicRec)
    await api.control.decideRecurrence(rec.idRec, { decision: 'accept', journey: 2 })
    expect((await findRequest(idSolicRec)).status).toBe('CANCELADA')
    expect((await api.findRec(rec.idRec)).ativacao.tipoJornada).toBe('JORNADA_2')
  })

  test('expires, and its recurrence does not', async () => {
    const { body: rec } = await api.createRec()
    const { idSolicRec } = (await request(rec.idRec)).body
    await api.control.advanceDay({ days: 3 })
    expect((await findRequest(idSolicRec)).status).toBe('EXPIRADA')
    expect((await api.findRec(rec.idRec)).status).toBe('CRIADA')
    const late = { calendario: { dataExpiracaoSolicitacao: '2020-01-01T00:00:00Z' } }
    expect(problemOf(await request(rec.idRec, late))).toEqual([
      400,
      'SolicRecOperacaoInvalida',
      'solicrec.calendario.dataExpiracaoSolicitacao',
    ])
    expect((await bank.get(`${BASE}/solicrec/SC${'0'.repeat(27)}`)).status).toBe(404)
  })
})

describe('the codes of a recurrence', () => {
  const chave = 'inter@trilho.test'
  const cob = { calendario: { expiracao: 3600 }, valor: { original: '10.00' }, chave }
  const page = (path: string, form?: Record<string, string>) =>
    fetch(`${api.simulator.facts.url}${path}`, {
      dispatcher: api.simulator.browser,
      ...(form ? { method: 'POST', body: new URLSearchParams(form).toString() } : {}),
    }).then(async response => ({ status: response.status, text: await response.text() }))
  const show = (payload: string) => page(`/pay?payload=${encodeURIComponent(payload)}`)
  const createWithCharge = async () => {
    const txid = api.nextTxid()
    const charge = await bank.put(`${BASE}/cob/${txid}`, cob)
    expect(charge.status).toBe(201)
    const { id: loc } = await createLocation()
    const { body } = await api.createRec({ loc, ativacao: { dadosJornada: { txid } } })
    const { dadosQR } = await api.findRec(body.idRec, `?txid=${txid}`)
    return { txid, id: body.idRec as string, dadosQR }
  }

  test('has none without a location', async () => {
    const { body } = await api.createRec()
    expect(await api.findRec(body.idRec)).not.toHaveProperty('dadosQR')
  })

  test('journey 2: the payer reads the recurrence and authorises it with a ceiling', async () => {
    const { id: loc } = await createLocation()
    const { body } = await api.createRec({ loc, valor: { valorMinimoRecebedor: '30.00' } })
    const { dadosQR } = await api.findRec(body.idRec)
    expect(dadosQR.jornada).toBe('JORNADA_2')
    expect(parseBrCode(dadosQR.pixCopiaECola)).toMatchObject({
      kind: 'valid',
      url: null,
      key: null,
      recurrenceUrl: body.loc.location,
    })
    const shown = await show(dadosQR.pixCopiaECola)
    expect(shown.text).toContain('Autorizar Pix Automático')
    expect(shown.text).toContain('Loja São João')
    const form = { payload: dadosQR.pixCopiaECola, kind: 'consent', recurrence: 'accept' }
    expect((await page('/pay', { ...form, ceiling: '20' })).status).toBe(409)
    const answered = await page('/pay', { ...form, ceiling: '80' })
    expect(answered.text).toContain('Pix Automático autorizado')
    expect(await api.findRec(body.idRec)).toMatchObject({
      status: 'APROVADA',
      ativacao: { tipoJornada: 'JORNADA_2' },
      pagador: DEBTOR_PAYER,
    })
    expect((await api.control.findRecurrence(body.idRec)).ceiling).toBe(80)
    expect((await page('/pay', form)).status).toBe(409)
  })
  const DEBTOR_PAYER = { cpf: DEBTOR.cpf, ispbParticipante: '99999004' }

  test('journey 2: the payer refuses it, and its document is gone', async () => {
    const { id: loc } = await createLocation()
    const { body } = await api.createRec({ loc })
    const { dadosQR } = await api.findRec(body.idRec)
    const form = { payload: dadosQR.pixCopiaECola, kind: 'consent', recurrence: 'reject' }
    expect((await page('/pay', form)).text).toContain('Pix Automático recusado')
    expect((await api.findRec(body.idRec)).status).toBe('REJEITADA')
    expect((await show(dadosQR.pixCopiaECola)).text).toContain('foi recusado, cancelado ou expirou')
    const document = await page(new URL(`https://${body.loc.location}`).pathname)
    expect([document.status, JSON.parse(document.text).type]).toEqual([
      400,
      'https://pix.bcb.gov.br/api/v2/error/RecPayloadOperacaoInvalida',
    ])
    await expect(api.control.pay({ payload: dadosQR.pixCopiaECola })).rejects.toMatchObject({ status: 409 })
  })

  test('journey 1: the payer answers the request on the page of recurrences, and revokes it there', async () => {
    const { body } = await api.createRec({ valor: { valorMinimoRecebedor: '30.00' } })
    await request(body.idRec)
    expect((await page('/recurrences')).text).toContain(`/recurrences/${body.idRec}`)
    const own = `/recurrences/${body.idRec}`
    expect((await page(own)).text).toContain('Loja São João')
    expect((await page(own, { act: 'accept', value: '20' })).status).toBe(409)
    expect((await page(own, { act: 'accept', value: '80' })).text).toContain('Cancelar a autorização')
    expect(await api.findRec(body.idRec)).toMatchObject({ status: 'APROVADA' })
    await page(own, { act: 'ceiling', value: '90' })
    await page(own, { act: 'funds', value: '0' })
    expect(await api.control.findRecurrence(body.idRec)).toMatchObject({ ceiling: 90, funds: 0 })
    expect((await page(own, { act: 'revoke' })).text).toContain('cancelado')
    expect((await page(own, { act: 'revoke' })).status).toBe(409)
    expect((await api.findRec(body.idRec)).status).toBe('CANCELADA')
    expect((await page('/recurrences/none')).status).toBe(409)
  })

  test('journey 3: one code pays the charge and authorises the recurrence', async () => {
    const { txid, id, dadosQR } = await createWithCharge()
    expect(dadosQR.jornada).toBe('JORNADA_3')
    expect((await show(dadosQR.pixCopiaECola)).text).toContain('Só pagar')
    const paid = await page('/pay', { payload: dadosQR.pixCopiaECola, recurrence: 'accept' })
    expect(paid.text).toContain('Pagamento realizado')
    expect((await bank.get(`${BASE}/cob/${txid}`)).body.status).toBe('CONCLUIDA')
    expect(await api.findRec(id)).toMatchObject({
      status: 'APROVADA',
      ativacao: { tipoJornada: 'JORNADA_3', dadosJornada: { txid } },
    })
  })

  test('journey 3: the payment settles, and the authorisation fails', async () => {
    const { txid, id, dadosQR } = await createWithCharge()
    await api.control.pay({ payload: dadosQR.pixCopiaECola, recurrence: 'reject' })
    expect((await bank.get(`${BASE}/cob/${txid}`)).body.status).toBe('CONCLUIDA')
    expect((await api.findRec(id)).status).toBe('REJEITADA')
  })

  test('journey 4: the payer of a charge with a due date may take the offer or not', async () => {
    const txid = api.nextTxid()
    const devedor = { ...DEBTOR, logradouro: 'Rua A, 1', cidade: 'Recife', uf: 'PE', cep: '70011750' }
    await bank.put(`${BASE}/cobv/${txid}`, {
      calendario: { dataDeVencimento: await api.inDays(5), validadeAposVencimento: 30 },
      devedor,
      valor: { original: '10.00' },
      chave,
    })
    const { id: loc } = await createLocation()
    const { body: rec } = await api.createRec({ loc })
    const { dadosQR } = await api.findRec(rec.idRec, `?txid=${txid}`)
    expect(dadosQR.jornada).toBe('JORNADA_4')
    await api.control.pay({ payload: dadosQR.pixCopiaECola, recurrence: 'ignore' })
    expect((await bank.get(`${BASE}/cobv/${txid}`)).body.status).toBe('CONCLUIDA')
    expect((await api.findRec(rec.idRec)).status).toBe('CRIADA')
    await api.control.decideRecurrence(rec.idRec, { decision: 'accept', journey: 4 })
    const approved = await api.findRec(rec.idRec)
    expect(approved.ativacao).toEqual({ tipoJornada: 'JORNADA_4' })
  })

  test('a txid of another charge, or of none, gives no code', async () => {
    const { id } = await createWithCharge()
    const other = api.nextTxid()
    await bank.put(`${BASE}/cob/${other}`, cob)
    for (const txid of [other, api.nextTxid()])
      expect(problemOf(await bank.get(`${BASE}/rec/${id}?txid=${txid}`))).toEqual([
        400,
        'RecConsultaInvalida',
        'txid',
      ])
  })
})

describe('the webhook of recurrences', () => {
  const inbox = 'recs'
  const listNotified = async () => (await api.control.listInbox(inbox)).map(({ body }) => JSON.parse(body))

  test('is registered, shown and deleted', async () => {
    const path = `${BASE}/webhookrec`
    expect((await bank.get(path)).status).toBe(404)
    const webhookUrl = `${api.simulator.facts.inbox_url}/${inbox}`
    expect((await bank.put(path, { webhookUrl })).status).toBe(200)
    expect((await bank.get(path)).body).toMatchObject({ webhookUrl })
    expect((await bank.delete(path)).status).toBe(204)
    expect((await bank.delete(path)).status).toBe(404)
    expect(problemOf(await bank.put(path, { webhookUrl: 'nothing' }))).toEqual([
      400,
      'WebhookRecOperacaoInvalida',
      'webhookUrl',
    ])
  })

  test('gets each change of status, unless a fault loses it', async () => {
    const webhookUrl = `${api.simulator.facts.inbox_url}/${inbox}`
    await bank.put(`${BASE}/webhookrec`, { webhookUrl })
    const id = await api.createApproved()
    const [approved] = await pollUntil(listNotified, all => all.length === 1)
    expect(approved).toMatchObject({ recs: [{ idRec: id, status: 'APROVADA' }] })
    const callback = { method: 'PUT', path: '/webhookrec', body: approved }
    expect(BACEN_CONTRACT.validateCallback(callback)).toEqual([])
    const lost = { provider: 'PROVIDER_D', operation: 'findRecurrence', fault: 'notification_lost' } as const
    await api.control.addFault(lost)
    await api.patchRec(id, { status: 'CANCELADA' })
    const second = await api.createApproved()
    const all = await pollUntil(listNotified, ({ length }) => length === 2)
    expect(all[1].recs[0].idRec).toBe(second)
    expect((await api.control.listFaults()).length).toBe(0)
  })

  test('gets a forged notification about a recurrence that does not exist', async () => {
    await api.control.clearInbox(inbox)
    await api.control.addFault({
      provider: 'PROVIDER_D',
      operation: 'findRecurrence',
      fault: 'notification_forged',
    })
    const id = await api.createApproved()
    const all = await pollUntil(listNotified, ({ length }) => length === 2)
    expect(all.map(({ recs }) => recs[0].idRec).toSorted()).toEqual([id, `RN${'0'.repeat(27)}`].toSorted())
  })
})

describe('the end of a recurrence', () => {
  test('comes after its last day, without a notification', async () => {
    const calendario = {
      dataInicial: await api.inDays(1),
      dataFinal: await api.inDays(2),
      periodicidade: 'SEMANAL',
    }
    const id = await api.createApproved({ calendario })
    await api.control.clearInbox('recs')
    await api.control.advanceDay({ days: 2 })
    expect((await api.findRec(id)).status).toBe('APROVADA')
    await api.control.advanceDay()
    expect(await api.findRec(id)).toMatchObject({
      status: 'EXPIRADA',
      atualizacao: [{ status: 'CRIADA' }, { status: 'APROVADA' }, { status: 'EXPIRADA' }],
    })
    expect((await api.findRec(id)).encerramento).toBeUndefined()
    expect((await api.patchRec(id, { status: 'CANCELADA' })).status).toBe(400)
    expect(await api.control.listInbox('recs')).toEqual([])
  })
})

test('Sicoob has no recurrences', async () => {
  await putBankAccount(api.simulator, 'sicoob')
  const sicoob = await createBankCaller(api.simulator, 'sicoob', { described: [] })
  const { status } = await sicoob.raw('GET', `${BANKS.sicoob.pix}/rec?${ALL_TIME}`)
  await sicoob.close()
  expect(status).toBe(404)
})
