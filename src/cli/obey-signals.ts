/** The means to direct what serves. */
export interface HubControl {
  /** Reads the configuration again. */
  readonly reload: () => void;
  /** Ends the process when running calls have ended. Called once. */
  readonly stop: () => void;
}

export interface SignalOrders extends HubControl {
  readonly onStopping: () => void;
  readonly stopAtOnce: () => void;
}

/** SIGHUP has the configuration read again; SIGTERM and SIGINT stop, and whoever asks twice does not want to wait for running calls. */
export function obeySignals({ reload, stop, onStopping, stopAtOnce }: SignalOrders): void {
  let stopping = false;
  const onSignal = (): void => {
    if (stopping) return stopAtOnce();
    stopping = true;
    onStopping();
    stop();
  };
  process.on('SIGHUP', reload);
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
}
