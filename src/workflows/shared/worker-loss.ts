import { ActivityFailure, CancelledFailure } from '@temporalio/workflow'

/** Outcome of a call whose worker was lost. */
export const INTERRUPTED = { kind: 'unknown', code: 'interrupted' } as const

/** Awaits an activity that Temporal does not retry; the loss of its worker during the call is the outcome unknown. */
export async function orInterrupted<Result>(call: Promise<Result>): Promise<Result | typeof INTERRUPTED> {
  try {
    return await call
  } catch (error) {
    if (isWorkerLoss(error)) return INTERRUPTED
    throw error
  }
}

/**
 * Tells whether an activity that Temporal does not retry ended with its worker or before its result was stored: its
 * outcome is unknown.
 */
export function isWorkerLoss(error: unknown): boolean {
  return error instanceof ActivityFailure && !(error.cause instanceof CancelledFailure)
}
