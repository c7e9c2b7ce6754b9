import { buildHelm } from './helm.ts'

/** `npm run helm`: builds what test/docs/kubernetes.test.ts renders the chart with. */
await buildHelm()
