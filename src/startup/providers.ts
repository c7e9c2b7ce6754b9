import {
  createUnexplainedAnswerRecorder,
  type UnexplainedAnswerRecorderOptions,
} from '../provider-notifications/unexplained-answers.ts'
import {
  createProviderRegistry,
  type ProviderRegistry,
  type ProviderRegistryOptions,
} from '../providers/registry.ts'
import type { Sealer } from '../security/sealing.ts'

type RecordingRegistryOptions = Omit<ProviderRegistryOptions, 'openCredentials' | 'recordUnexplained'> &
  UnexplainedAnswerRecorderOptions & { sealer: Sealer }

/** Creates the providers of a process, which unseal their credentials and record unexplained answers. */
export function createRecordingRegistry({
  orm,
  sealer,
  log,
  count,
  ...options
}: RecordingRegistryOptions): ProviderRegistry {
  const recordUnexplained = createUnexplainedAnswerRecorder({ orm, sealer, log, ...(count && { count }) })
  return createProviderRegistry({ ...options, openCredentials: sealer.open, recordUnexplained })
}
