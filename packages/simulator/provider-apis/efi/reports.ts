import type { SimulatedAccount } from '../../accounts.ts'
import { textFromCents } from '../../amount.ts'
import { formatBrazilianDay } from '../../brazilian-day.ts'
import { SIMULATOR_WAITS_MS } from '../../latency.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { RailMovement } from '../../rail.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { parseReportBody, type ReportRecords } from './schemas.ts'

/** A report of one day's statement; a repeated order returns the existing report. */
type EfiReport = {
  id: string
  accountId: string
  /** Day in São Paulo, `2026-11-26`. */
  day: string
  /** `ReportRecords` as JSON. */
  records: string
  requestedAt: string
  readyAt: string
}

/** Creates the handlers of reports of the statement, `/v2/gn/relatorios` ("Requisitar Extrato Conciliação"). */
export function createEfiReportHandlers(
  state: SimulatorState,
): Record<'create' | 'show', (call: SimulatedCall) => SimulatedResponse> {
  const { store, now } = state
  return {
    create: call => {
      const parsed = parseReportBody(call.body)
      if ('refusal' in parsed) return parsed.refusal
      const { dataMovimento: day, tipoRegistros } = parsed.value
      if (day >= formatBrazilianDay(now().toISOString())) return errors.reportDayNotOver()
      const report = openReport(state, {
        accountId: call.account.id,
        day,
        records: JSON.stringify(tipoRegistros),
      })
      return { status: 202, body: presentReport(report, now()) }
    },
    show: ({ account, params }) => {
      const report = store.first<EfiReport>(
        'SELECT * FROM efiReport WHERE accountId = ? AND id = ?',
        account.id,
        params.id!,
      )
      if (!report) return errors.reportNotFound()
      if (report.readyAt > now().toISOString()) return { status: 202, body: presentReport(report, now()) }
      const body = writeReport(state, { account, report })
      return { status: 200, body, headers: { 'content-type': 'text/csv; charset=utf-8' } }
    },
  }
}

function openReport(
  { store, ids, now, scaleWaitMs }: SimulatorState,
  order: Pick<EfiReport, 'accountId' | 'day' | 'records'>,
): EfiReport {
  const existing = store.first<EfiReport>(
    'SELECT * FROM efiReport WHERE accountId = ? AND day = ? AND records = ?',
    order.accountId,
    order.day,
    order.records,
  )
  if (existing) return existing
  const at = now()
  const readyAt = new Date(at.getTime() + scaleWaitMs(SIMULATOR_WAITS_MS.report)).toISOString()
  const report = { ...order, id: ids.evpKey(), requestedAt: at.toISOString(), readyAt }
  store.insert('efiReport', report)
  return report
}

function presentReport({ id, requestedAt, readyAt }: EfiReport, at: Date) {
  const isReady = readyAt <= at.toISOString()
  return { id, dataSolicitacao: requestedAt, status: isReady ? 'CONCLUIDO' : 'AGUARDANDO_PROCESSAMENTO' }
}

/**
 * Writes the report as text. Efí publishes its layout ("Extrato de Conciliação API Pix", v4.0) only as a PDF. The
 * records of a received PIX (`PR`) and of its tariff (`TPR`) are known from what users of Efí publish; the simulator
 * writes no others, and so no tariff without a PIX.
 */
function writeReport(
  { rail, receipts }: SimulatorState,
  { account, report }: { account: SimulatedAccount; report: EfiReport },
): string {
  const records = JSON.parse(report.records) as ReportRecords
  const movements = rail.listEntries(account.id).filter(({ at }) => formatBrazilianDay(at) === report.day)
  const lines = movements.flatMap(movement => {
    if (records.pixRecebido && isReceived(movement)) {
      const receipt = receipts.findListed(account.id, movement.endToEnd!)
      return receipt ? [writeReceived(movement, receipt.payerDocument)] : []
    }
    return records.tarifaPixRecebido && movement.kind === 'tariff' && movement.originalEndToEnd
      ? [writeTariff(movement)]
      : []
  })
  const createdOn = formatBrazilianDay(report.readyAt)
  const head = `CA;Gerencianet;364;1;1;${account.holderName};${createdOn};${report.day};Extrato de Conciliação API Pix;1.0`
  return [head, ...lines, 'T;0;0;0;0;0;0'].map(line => `${line}\n`).join('')
}

function isReceived({ kind }: RailMovement): boolean {
  return kind === 'payment' || kind === 'deposit'
}

function writeReceived({ endToEnd, id, cents, at }: RailMovement, payerDocument: string): string {
  return `PR;${toProtocol(at)};${endToEnd};${id ?? ''};${textFromCents(cents)};${payerDocument};;;;${at}`
}

function writeTariff({ originalEndToEnd, cents, at }: RailMovement): string {
  return `TPR;${toProtocol(at)};${originalEndToEnd};${textFromCents(cents)};${at}`
}

/** Derives a protocol number of Efí's from a time. */
function toProtocol(at: string): number {
  return Date.parse(at) % 1_000_000_000
}
