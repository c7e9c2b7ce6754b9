import { randomUUID } from 'node:crypto'
import { type BankNotification, type BankRequest, call, ok, withinPeriod } from './bank-api.ts'
import type {
  BankCharge,
  BankDispute,
  BankRefund,
  BookedEvent,
  Books,
  ReceivedPix,
  SentPix,
} from './books.ts'

/** Efí's API as its SDK (sdk-node-apis-efi 2.0.1) and the Central Bank's pix-api 2.9.0 publish it. */

const reais = (cents: number) => (cents / 100).toFixed(2)
const centsOf = (valor: string) => Math.round(Number(valor) * 100)
const refuse = (status: number, nome: string) => ({ status, json: { nome, mensagem: nome } })
const notFoundProblem = (name: string, title: string) => ({
  status: 404,
  json: { type: `https://pix.bcb.gov.br/api/v2/error/${name}`, title, status: 404, detail: title },
})

export const EFI_CALLS = [
  call('token', 'POST', /^\/oauth\/token$/, () =>
    ok({ access_token: randomUUID(), token_type: 'Bearer', expires_in: 3600, scope: 'cob.write cob.read' }),
  ),
  call('issueCharge', 'PUT', /^\/v2\/cob\/(\w+)$/, (books, { body }, [txid = '']) => {
    if (books.charges.has(txid)) return refuse(409, 'txid_duplicado')
    const cents = centsOf(body.valor.original)
    const order = { reference: txid, cents, expiresInS: body.calendario.expiracao }
    return ok(showCob(books, books.openCharge(order)), 201)
  }),
  call('findCharge', 'GET', /^\/v2\/cob\/(\w+)$/, (books, _, [txid = '']) => {
    const charge = books.charges.get(txid)
    return charge ? ok(showCob(books, charge)) : refuse(400, 'cobranca_nao_encontrada')
  }),
  call('findPayload', 'GET', /^\/v2\/loc\/(\d+)\/qrcode$/, (books, _, [id = '']) => {
    const charge = [...books.charges.values()].find(({ number }) => number === Number(id))
    if (!charge) return refuse(400, 'location_nao_encontrada')
    const qrcode = showPayload(charge)
    return ok({ qrcode, imagemQrcode: 'data:image/png;base64,', linkVisualizacao: 'https://pix.example/1' })
  }),
  call('cancelCharge', 'PATCH', /^\/v2\/cob\/(\w+)$/, (books, _, [txid = '']) => {
    const charge = books.charges.get(txid)
    if (!charge) return refuse(400, 'cobranca_nao_encontrada')
    if (charge.state !== 'open') return refuse(400, 'status_cobranca_invalido')
    charge.state = 'removed'
    return ok(showCob(books, charge))
  }),
  call('findPayment', 'GET', /^\/v2\/pix\/(\w+)$/, (books, _, [endToEnd = '']) => {
    const pix = books.received.get(endToEnd)
    return pix ? ok(showReceived(books, pix)) : refuse(400, 'pix_nao_encontrado')
  }),
  call(
    'refund',
    'PUT',
    /^\/v2\/pix\/(\w+)\/devolucao\/(\w+)$/,
    (books, { body }, [returnOf = '', id = '']) => {
      if (!books.received.has(returnOf)) return refuse(400, 'pix_nao_encontrado')
      if (books.refunds.has(id)) return refuse(409, 'devolucao_id_duplicado')
      const cents = centsOf(body.valor)
      if (cents > books.countReturnableCents(returnOf)) return refuse(400, 'valor_devolucao_invalido')
      return ok(showRefund(books.refund({ id, cents, returnOf })), 201)
    },
  ),
  call('findRefund', 'GET', /^\/v2\/pix\/\w+\/devolucao\/(\w+)$/, (books, _, [id = '']) => {
    const refund = books.refunds.get(id)
    return refund ? ok(showRefund(refund)) : refuse(400, 'devolucao_nao_encontrada')
  }),
  call('sendTransfer', 'PUT', /^\/v3\/gn\/pix\/(\w+)$/, (books, { body }, [id = '']) => {
    if (books.sent.has(id)) return refuse(409, 'id_envio_duplicado')
    const payout = books.send({ id, cents: centsOf(body.valor), pixKey: body.favorecido.chave })
    const { endToEnd: e2eId, cents, orderedAt: solicitacao } = payout
    const horario = { solicitacao }
    return ok({ idEnvio: id, e2eId, valor: reais(cents), horario, status: 'EM_PROCESSAMENTO' }, 201)
  }),
  call('findTransfer', 'GET', /^\/v2\/gn\/pix\/enviados\/id-envio\/(\w+)$/, (books, _, [id = '']) => {
    const payout = books.sent.get(id)
    return payout ? ok(showSent(payout)) : notFoundProblem('PixEnviadoNaoEncontrado', 'Pix não encontrado')
  }),
  call('findSentByEndToEnd', 'GET', /^\/v2\/gn\/pix\/enviados\/(E\w+)$/, (books, _, [endToEnd = '']) => {
    const payout = [...books.sent.values()].find(one => one.endToEnd === endToEnd)
    return payout ? ok(showSent(payout)) : notFoundProblem('PixEnviadoNaoEncontrado', 'Pix não encontrado')
  }),
  call('receivedList', 'GET', /^\/v2\/pix$/, (books, request) => {
    const listed = withinPeriod(books.received.values(), ({ at }) => at, periodOf(request))
    const isWanted = (pix: ReceivedPix) =>
      request.query.get('devolucaoPresente') !== 'true' || refundsOf(books, pix).length > 0
    return ok(
      showPage(
        'pix',
        listed.filter(isWanted).map(pix => showReceived(books, pix)),
        request,
      ),
    )
  }),
  call('sentList', 'GET', /^\/v2\/gn\/pix\/enviados$/, (books, request) => {
    const listed = withinPeriod(books.sent.values(), ({ orderedAt }) => orderedAt, periodOf(request))
    const wanted = request.query.get('devolucaoPresente') === 'true' ? [] : listed
    return ok(showPage('pix', wanted.map(showSent), request))
  }),
  call('balance', 'GET', /^\/v2\/gn\/saldo$/, books =>
    ok({ saldo: reais(books.balanceCents), bloqueios: { judicial: '0.00', med: '0.00', total: '0.00' } }),
  ),
  call('listKeys', 'GET', /^\/v2\/gn\/evp$/, books => ok({ chaves: [...books.keys] })),
  call('createKey', 'POST', /^\/v2\/gn\/evp$/, books => {
    const chave = randomUUID()
    books.keys.add(chave)
    return ok({ chave }, 201)
  }),
  call('deleteKey', 'DELETE', /^\/v2\/gn\/evp\/([\w-]+)$/, (books, _, [key = '']) =>
    books.keys.delete(key) ? ok({ status: 200 }) : refuse(400, 'chave_nao_encontrada'),
  ),
  call('disputeList', 'GET', /^\/v2\/gn\/infracoes$/, (books, request) => {
    const listed = withinPeriod(books.disputes.values(), ({ openedAt }) => openedAt, periodOf(request))
    return ok(showPage('infracoes', listed.map(showInfraction), request))
  }),
  call('replyToDispute', 'POST', /^\/v2\/gn\/infracoes\/([\w-]+)\/defesa$/, (books, _, [id = '']) => {
    const dispute = books.disputes.get(id)
    if (!dispute) return refuse(404, 'infracao_nao_encontrada')
    if (dispute.state !== 'open') return refuse(409, 'defesa_ja_submetida')
    dispute.state = 'defended'
    return ok(showInfraction(dispute))
  }),
] as const

function showPayload({ reference, cents }: BankCharge): string {
  return `00020101021226580014br.gov.bcb.pix2536pix.example/${reference}5303986540${reais(cents)}5802BR6304ABCD`
}

function showCob(books: Books, charge: BankCharge) {
  const { reference: txid, cents, createdAt: criacao, expiresInS: expiracao, number: id } = charge
  const location = `pix.example/v2/${txid}`
  const payments = [...books.received.values()].filter(({ reference }) => reference === txid)
  const states = { open: 'ATIVA', paid: 'CONCLUIDA', removed: 'REMOVIDA_PELO_USUARIO_RECEBEDOR' }
  return {
    calendario: { criacao, expiracao },
    txid,
    revisao: 0,
    status: states[charge.state],
    valor: { original: reais(cents) },
    chave: books.key,
    loc: { id, location, tipoCob: 'cob', criacao },
    location,
    pixCopiaECola: showPayload(charge),
    ...(payments.length > 0 && { pix: payments.map(pix => showReceived(books, pix)) }),
  }
}

const refundsOf = (books: Books, { endToEnd }: ReceivedPix) =>
  [...books.refunds.values()].filter(({ returnOf }) => returnOf === endToEnd)

function showReceived(books: Books, pix: ReceivedPix) {
  const { endToEnd: endToEndId, reference, cents, at: horario } = pix
  const devolucoes = refundsOf(books, pix).map(showRefund)
  return {
    endToEndId,
    ...(reference && { txid: reference }),
    valor: reais(cents),
    chave: books.key,
    horario,
    ...(devolucoes.length > 0 && { devolucoes }),
  }
}

const timesOf = ({ orderedAt, settledAt }: SentPix | BankRefund) => ({
  solicitacao: orderedAt,
  ...(settledAt && { liquidacao: settledAt }),
})

function showRefund(refund: BankRefund) {
  const states = { processing: 'EM_PROCESSAMENTO', settled: 'DEVOLVIDO', failed: 'NAO_REALIZADO' }
  const { id, endToEnd: rtrId, cents, state } = refund
  return { id, rtrId, valor: reais(cents), horario: timesOf(refund), status: states[state] }
}

function showSent(payout: SentPix) {
  const states = { processing: 'EM_PROCESSAMENTO', settled: 'REALIZADO', failed: 'NAO_REALIZADO' }
  const { id: idEnvio, endToEnd: endToEndId, cents, pixKey: chave, state } = payout
  return {
    endToEndId,
    idEnvio,
    valor: reais(cents),
    chave,
    status: states[state],
    horario: timesOf(payout),
    favorecido: { chave },
  }
}

function showInfraction({ id, endToEnd, cents, state, openedAt }: BankDispute) {
  const party = { nomeParticipante: 'Banco', conta: 1, nome: 'Pagador', documento: '***' }
  const states = { open: 'ABERTA', defended: 'EM_DEFESA', rejected: 'REJEITADA' }
  return {
    idInfracao: id,
    endToEndId: endToEnd,
    protocolo: 1,
    dataTransacao: openedAt,
    valor: cents / 100,
    status: states[state],
    razao: 'fraude',
    tipoSituacao: 'golpe',
    identificadorTicket: [1],
    dadosAnalise: { abertura: openedAt, prazoFinalizacao: new Date(Date.now() + 604_800_000).toISOString() },
    origem: party,
    destino: party,
    criadoEm: openedAt,
    atualizadoEm: openedAt,
  }
}

const periodOf = ({ query }: BankRequest): [string | null, string | null] => [
  query.get('inicio'),
  query.get('fim'),
]

function showPage(field: string, items: unknown[], { query }: BankRequest) {
  const paginaAtual = Number(query.get('paginacao.paginaAtual') ?? 0)
  const itensPorPagina = Number(query.get('paginacao.itensPorPagina') ?? 100)
  const [inicio, fim] = [query.get('inicio'), query.get('fim')]
  const paginacao = {
    paginaAtual,
    itensPorPagina,
    quantidadeDePaginas: Math.max(1, Math.ceil(items.length / itensPorPagina)),
    quantidadeTotalDeItens: items.length,
  }
  const start = paginaAtual * itensPorPagina
  return { parametros: { inicio, fim, paginacao }, [field]: items.slice(start, start + itensPorPagina) }
}

/** Efí posts to the registered URL followed by `/pix`. */
export function notifyAsEfi(books: Books, event: BookedEvent): BankNotification {
  const item =
    event.kind === 'received'
      ? showReceived(books, event.pix)
      : event.kind === 'refunded'
        ? showReceived(books, books.received.get(event.payout.returnOf)!)
        : {
            ...showSent(event.payout),
            tipo: 'SOLICITACAO',
            gnExtras: { idEnvio: event.payout.id },
          }
  return { path: '/pix', body: JSON.stringify({ pix: [item] }), headers: {} }
}
