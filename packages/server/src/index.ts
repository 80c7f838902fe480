/** Drover as a library: start the service inside another program. */
export { type Service, startService } from './app/start-service.ts'
export type { Config } from './config/config.ts'
export { ConfigProblems } from './config/config-problems.ts'
export { loadConfig } from './config/load-config.ts'
export { migrate } from './store/postgres/migrate.ts'
export { createTelemetry } from './telemetry/telemetry.ts'
