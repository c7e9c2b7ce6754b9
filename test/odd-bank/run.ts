import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { createCertificate } from '../../packages/simulator/certificate.ts'
import { checkLedger } from '../../src/db/repositories/ledger-rules.ts'
import { openTestStack, type TestStack } from '../api/support/test-stack.ts'
import { startStack } from '../support/stack.ts'
import { startOddBank } from './bank-server.ts'
import { isListCase, type OddCase } from './cases.ts'
import { judgeMerchant, type Verdict } from './judge.ts'
import { type Banks, createOddMerchant, type OddMerchant } from './odd-merchants.ts'
import { playScenario } from './scenarios.ts'

type CaseResult = {
  name: string
  operation: string
  /** How many answers the engine got that differed from the published ones. */
  oddAnswers: number
  /** Whether the step came at which answers were to be odd. */
  wasArmed: boolean
  verdict: Verdict
  error?: string
  /** What the engine knows of the calls of a case that is not at rest. */
  attempts: string[]
}
export type OddRunResult = { cases: CaseResult[]; ledgerViolations: string[] }

const TIME_SCALE = 400
/** Until everything of one case is at rest. */
const REST_LIMIT_MS = 200_000
/** How long an oddity remains armed after the merchant's requests; longer where the engine comes by a statement, which is read seldom. */
const ODD_LIMIT_MS = 10_000
const ODD_STATEMENT_LIMIT_MS = 60_000
const CHECK_INTERVAL_MS = 400
const MAX_LISTED_ACCOUNTS = 14

type RunInput = {
  cases: OddCase[]
  concurrency: number
  restLimitMs?: number
  say?: (line: string) => void
}

/** Plays every case against a stack of its own with two banks of the tests. */
export async function runOddCases({
  cases,
  concurrency,
  restLimitMs = REST_LIMIT_MS,
  say = () => {},
}: RunInput): Promise<OddRunResult> {
  await using open = new AsyncDisposableStack()
  const stack = await startStack({
    timeScale: TIME_SCALE,
    environment: {
      TRILHO_RATE_LIMIT: '100000',
      TRILHO_RATE_BURST: '100000',
      TRILHO_LOG_LEVEL: 'warn',
    },
  })
  open.defer(async () => void (await stack.stop()))
  const certificate = await createTrustedCertificate(stack.home.simulatorCa)
  const banks: Banks = {
    efi: await startOddBank('efi', certificate),
    woovi: await startOddBank('woovi', certificate),
  }
  open.defer(async () => void (await Promise.all([banks.efi.close(), banks.woovi.close()])))
  const stage = await openTestStack(stack.home)
  open.defer(stage.close)

  const results: CaseResult[] = []
  const playAll = async (waiting: OddCase[], lanes: number) => {
    const lane = async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        results.push(await playCase({ stage, banks, oddCase: next, restLimitMs }))
        if (results.length % 25 === 0) say(`${results.length} of ${cases.length} cases`)
      }
    }
    await Promise.all(Array.from({ length: lanes }, lane))
  }
  const isOther = (oddCase: OddCase) => !isListCase(oddCase)
  await playAll(cases.filter(isOther), concurrency)
  // Statements are read one account after the other: with many accounts each is read too seldom.
  await playAll(cases.filter(isListCase), Math.min(concurrency, MAX_LISTED_ACCOUNTS))
  const violations = await checkLedger(stage.orm.em.fork())
  return {
    cases: results,
    ledgerViolations: violations.map(({ rule, where, detail }) => `${rule} ${where}: ${detail}`),
  }
}

/** A certificate for localhost by the authority that the processes of the stack trust. */
async function createTrustedCertificate(caFile: string) {
  const [cert, key] = await Promise.all([
    readFile(caFile, 'utf8'),
    readFile(caFile.replace(/\.pem$/, '.key'), 'utf8'),
  ])
  return createCertificate({
    commonName: 'Bank of the tests',
    purpose: 'server',
    hosts: ['localhost'],
    notBefore: new Date(Date.now() - 60_000),
    notAfter: new Date(Date.now() + 86_400_000),
    issuer: { certificate: cert, key },
  })
}

type CaseInput = { stage: TestStack; banks: Banks; oddCase: OddCase; restLimitMs: number }

async function playCase({ stage, banks, oddCase, restLimitMs }: CaseInput): Promise<CaseResult> {
  const { api, name, operation, isNotified } = oddCase
  // Statements are read one after the other: without another account sooner.
  const hasFallback = oddCase.scenario !== 'movements'
  const merchant = await createOddMerchant({ stage, banks, api, isNotified, hasFallback })
  let error: string | undefined
  try {
    await playScenario({ merchant, stage, oddCase, limitMs: restLimitMs })
  } catch (thrown) {
    error = String(thrown)
  }
  const { odd } = merchant
  const isOver = async () => {
    const verdict = await judgeMerchant(stage, merchant, oddCase)
    return verdict.pending.length === 0
  }
  const armedMs = isListCase(oddCase) || !isNotified ? ODD_STATEMENT_LIMIT_MS : ODD_LIMIT_MS
  const scenarioEndedAt = Date.now()
  for (let answers = odd.countOddAnswers(); answers < oddCase.times; answers = odd.countOddAnswers()) {
    const waitedMs = Date.now() - scenarioEndedAt
    // A loaded machine asks late: until it has asked once, only the end of the operation says that it will not.
    if (waitedMs > armedMs && (answers > 0 || waitedMs > restLimitMs || (await isOver()))) break
    await sleep(CHECK_INTERVAL_MS)
  }
  odd.disarm()
  for (const { account } of merchant.connections)
    for (const dispute of account.books.disputes.values()) dispute.state = 'rejected'
  const verdict = await waitForRest(() => judgeMerchant(stage, merchant, oddCase), restLimitMs)
  const isAtRest = verdict.pending.length === 0 && verdict.violations.length === 0
  const attempts = isAtRest ? [] : await readAttempts(stage, merchant)
  await merchant.retire()
  return {
    name,
    operation,
    oddAnswers: odd.countOddAnswers(),
    wasArmed: odd.wasArmed(),
    verdict,
    attempts,
    ...(error && { error }),
  }
}

async function readAttempts({ sql }: TestStack, { accountUuid }: OddMerchant): Promise<string[]> {
  const rows = await sql<{ line: string }>(
    `select concat_ws(' ', c.dialect, a.operation, a.state, a.code, a.message, 'sendings', a.sendings, 'next', a.next_check_at - now()) as line
     from attempt a join connection c on c.uuid = a.connection_uuid where c.account_uuid = ? order by a.created_at`,
    [accountUuid],
  )
  return rows.map(({ line }) => line)
}

/** The verdict once everything is at rest twice in a row, or the time is over. */
async function waitForRest(judge: () => Promise<Verdict>, limitMs: number): Promise<Verdict> {
  const deadline = Date.now() + limitMs
  for (let rests = 0; ; await sleep(CHECK_INTERVAL_MS)) {
    const verdict = await judge()
    const isDone = verdict.pending.length === 0 && verdict.violations.length === 0
    rests = isDone ? rests + 1 : 0
    if (rests === 2 || Date.now() > deadline) return verdict
  }
}

/** What breaks a rule in a result: money that moved otherwise than shown, or an order that nobody owns. */
export function findFaults({ cases, ledgerViolations }: OddRunResult): string[] {
  return [
    ...ledgerViolations,
    ...cases.flatMap(({ name, verdict: { pending, owned, violations }, error, attempts }) => [
      ...violations.map(text => `${name}: ${text}`),
      ...(error ? [`${name}: ${error}`] : []),
      ...(pending.length > 0 && owned.length === 0
        ? [`${name}: without an owner: ${pending.join('; ')} (${attempts.join('; ')})`]
        : []),
    ]),
  ]
}
