import { readdirSync } from 'node:fs';
import type { Clock } from '../environment/environment.ts';
import type { MetricsRegistry } from './registry.ts';

/** What dashboards expect to know of a process, with the names of Prometheus' clients; read at each scrape. */
export function addProcessMetrics(registry: MetricsRegistry, clock: Clock): void {
  const cpu = registry.counter({
    name: 'process_cpu_seconds_total',
    help: 'Total user and system CPU time spent in seconds.',
  });
  const gauge = (name: string, help: string): ((value: number) => void) => {
    const metric = registry.gauge({ name, help });
    return (value) => {
      metric.set({}, value);
    };
  };
  const resident = gauge('process_resident_memory_bytes', 'Resident memory size in bytes.');
  const start = gauge('process_start_time_seconds', 'Start time of the process since unix epoch in seconds.');
  const openFiles = gauge('process_open_fds', 'Number of open file descriptors.');
  const heapTotal = gauge('nodejs_heap_size_total_bytes', 'Process heap size from Node.js in bytes.');
  const heapUsed = gauge('nodejs_heap_size_used_bytes', 'Process heap size used from Node.js in bytes.');
  const external = gauge('nodejs_external_memory_bytes', 'Node.js external memory size in bytes.');
  registry
    .gauge({ name: 'nodejs_version_info', help: 'Node.js version info.', labels: ['version'] })
    .set({ version: process.version }, 1);
  start(Math.round(clock.wall() / 1000 - process.uptime()));
  registry.collect(() => {
    const { user, system } = process.cpuUsage();
    cpu.set({}, (user + system) / 1e6);
    const memory = process.memoryUsage();
    resident(memory.rss);
    const open = openFileDescriptors();
    if (open !== undefined) {
      openFiles(open);
    }
    heapTotal(memory.heapTotal);
    heapUsed(memory.heapUsed);
    external(memory.external);
  });
}

/** Known on Linux alone. */
function openFileDescriptors(): number | undefined {
  try {
    // Less the one that reads the folder.
    return readdirSync('/proc/self/fd').length - 1;
  } catch {
    return undefined;
  }
}
