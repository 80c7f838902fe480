/** The parts of `drover dev`, for the command line. */
export { type Dev, type DevOptions, type DevSummary, startDev } from './start-dev.ts'
