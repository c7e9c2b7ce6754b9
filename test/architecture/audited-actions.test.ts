import { expect, test } from '@jest/globals'
import { SOURCES } from './support/source-imports.ts'

/** Operators' acts are functions of `src/admin`, and each is recorded by one function (docs/adding-an-operators-act.md). */

const sources = [...SOURCES]
  .filter(([file]) => !/^(packages\/|src\/db\/migrations\/)/.test(file))
  .map(([file, text]) => ({ file: file.replace(/^src\//, ''), text }))
const isCaller = (file: string) => /^(cli|dashboard)\//.test(file)
const filesWith = (pattern: RegExp) =>
  sources.filter(({ text }) => pattern.test(text)).map(({ file }) => file)

test('one function writes the table of operator actions', () => {
  const write =
    /\b(?:create|insert\w*|upsert\w*|nativeInsert)\(\s*OperatorAction\b|new OperatorAction\b|insert into operator_action\b/i
  for (const planted of [
    'tx.create(OperatorAction, {',
    'await em.insert(\n  OperatorAction',
    'insert into operator_action (uuid',
  ])
    expect(write.test(planted)).toBe(true)
  expect(write.test('em.fork().find(OperatorAction, { subject })')).toBe(false)
  expect(filesWith(write)).toEqual(['db/repositories/audited-actions.ts'])
})

test('nobody outside src/admin records an action, but users of merchants and processes that act by themselves', () => {
  const recording = filesWith(/\brunAuditedAction\b/).filter(file => !file.startsWith('admin/'))
  expect(recording).toEqual([
    // The worker, which no operator has asked.
    'activities/disaster-recovery/workflow-sweep.ts',
    'activities/payouts/manual-settlement.ts',
    'activities/users/password-resets.ts',
    // What a merchant's user orders by an operation of the API.
    'api/operations/user-acts.ts',
    // The function itself.
    'db/repositories/audited-actions.ts',
    // Each workflow of a rebuild, before it is terminated.
    'disaster-recovery/rebuild.ts',
  ])
})

/** What pages and commands call of `src/admin` that is no act. */
const NO_ACTS = [
  'checkProviderBalances',
  'differenceSubjectOf',
  'generateUserPassword',
  'hasSecondFactor',
  'isClosedBy',
  'isDifferencePending',
  'listTokens',
  'parseEmail',
  'payoutWorkflowIdOf',
  'requireClosable',
  'requireSettleable',
  'requireUnmatchedPix',
  'visitInvitation',
  // A sign-in, which uses a code up.
  'acceptSecondFactor',
]

/** The text of each function at the top level of `src/admin`, by its name. */
const functions = new Map(
  sources
    .filter(({ file }) => file.startsWith('admin/'))
    .flatMap(({ text }) =>
      text.split(/^(?=(?:export )?(?:async )?function\b)/m).flatMap(part => {
        const name = /^(?:export )?(?:async )?function\*? (\w+)/.exec(part)?.[1]
        return name === undefined ? [] : [[name, part] as const]
      }),
    ),
)

/** Returns whether a function of `src/admin` calls `runAuditedAction`, itself or by others of that folder. */
function isRecorded(name: string, seen = new Set<string>()): boolean {
  const text = functions.get(name)
  if (text === undefined || seen.has(name)) return false
  seen.add(name)
  if (/\brunAuditedAction\b/.test(text)) return true
  return [...text.matchAll(/\b(\w+)\(/g)].some(([, called]) => called !== name && isRecorded(called!, seen))
}

test('what pages and commands call of src/admin is recorded', () => {
  const imported = sources
    .filter(({ file }) => isCaller(file))
    .flatMap(({ text }) => [...text.matchAll(/import \{([^}]*)\} from '(?:\.\.\/)+admin\/[\w-]+\.ts'/g)])
    .flatMap(([, names]) => names!.split(',').map(name => name.trim()))
    .filter(name => functions.has(name))
  const called = [...new Set(imported)].sort()
  expect(called.filter(name => isRecorded(name)).length).toBeGreaterThan(35)
  expect(called.filter(name => !isRecorded(name))).toEqual([...NO_ACTS].sort())
})

test('pages and commands hold no act of their own', () => {
  const write =
    /\b(?:em|tx|fork\(\))\.(?:create|insert|upsert|persist|flush|execute|native\w+)\(|\brunInTransaction\(/
  const signal = /\.signal\(|workflow\s*\.start\(|\bstartOrReopenWorkflow\b|\bsignal(?:Operation|Return)\b/
  const found = sources.filter(({ file, text }) => isCaller(file) && (write.test(text) || signal.test(text)))
  expect(found.map(({ file }) => file)).toEqual([
    // Sign-in: sessions, and limits of attempts.
    'dashboard/authentication/attempts.ts',
    'dashboard/authentication/second-step.ts',
    'dashboard/authentication/sign-in.ts',
    // Closes the pages that an operator has opened.
    'dashboard/pages/operator/accounts.ts',
    // Holds the verified password's row while an act of `src/admin` runs.
    'dashboard/pages/profile.ts',
    // Names filters of lists, for the user who sends it.
    'dashboard/pages/saved-filters.ts',
    'dashboard/pages/sign-in.ts',
  ])
})
