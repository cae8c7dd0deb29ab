import {
  useId,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';

interface FieldProps {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
  /** Seen by screen readers only. */
  readonly hideLabel?: boolean;
}

interface Described {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': true | undefined;
}

function Frame({
  label,
  hint,
  error,
  hideLabel = false,
  children,
}: FieldProps & { readonly children: (described: Described) => ReactNode }) {
  const id = useId();
  const notes = [hint === undefined ? '' : `${id}-hint`, error === undefined ? '' : `${id}-error`];
  const describedBy = notes.filter((note) => note !== '').join(' ');
  return (
    <div className="min-w-0">
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'mb-1 block font-medium'}>
        {label}
      </label>
      {children({
        id,
        'aria-describedby': describedBy === '' ? undefined : describedBy,
        'aria-invalid': error === undefined ? undefined : true,
      })}
      {hint !== undefined && (
        <p id={`${id}-hint`} className="mt-1 text-sm text-muted">
          {hint}
        </p>
      )}
      {error !== undefined && (
        <p id={`${id}-error`} className="mt-1 text-sm text-bad">
          {error}
        </p>
      )}
    </div>
  );
}

type InputProps = FieldProps &
  Omit<InputHTMLAttributes<HTMLInputElement>, 'onChange'> & {
    readonly onText?: (text: string) => void;
  };

export function TextField({ label, hint, error, hideLabel, onText, className = '', ...input }: InputProps) {
  return (
    <Frame {...{ label, hint, error, hideLabel }}>
      {(described) => (
        <input
          type="text"
          autoComplete="off"
          spellCheck={false}
          {...input}
          {...described}
          onChange={(event) => onText?.(event.target.value)}
          className={`control ${className}`}
        />
      )}
    </Frame>
  );
}

/** A name that policies, events and addresses use; the hub refuses any other. */
export function IdField(props: InputProps) {
  return (
    <TextField
      required
      pattern="[A-Za-z0-9\-]([A-Za-z0-9\-]|_(?!_)){0,47}"
      title="1 to 48 letters, digits, - or single _"
      {...props}
    />
  );
}

type AreaProps = FieldProps &
  Omit<TextareaHTMLAttributes<HTMLTextAreaElement>, 'onChange'> & {
    readonly onText?: (text: string) => void;
  };

export function TextArea({ label, hint, error, hideLabel, onText, className = '', ...area }: AreaProps) {
  return (
    <Frame {...{ label, hint, error, hideLabel }}>
      {(described) => (
        <textarea
          autoComplete="off"
          spellCheck={false}
          rows={6}
          {...area}
          {...described}
          onChange={(event) => onText?.(event.target.value)}
          className={`control mono ${className}`}
        />
      )}
    </Frame>
  );
}

export interface Choice {
  readonly value: string;
  readonly label: string;
}

type SelectProps = FieldProps &
  Omit<SelectHTMLAttributes<HTMLSelectElement>, 'onChange'> & {
    readonly choices: readonly Choice[];
    readonly onText?: (value: string) => void;
  };

export function SelectField({
  label,
  hint,
  error,
  hideLabel,
  choices,
  onText,
  className = '',
  ...select
}: SelectProps) {
  return (
    <Frame {...{ label, hint, error, hideLabel }}>
      {(described) => (
        <select
          {...select}
          {...described}
          onChange={(event) => onText?.(event.target.value)}
          className={`control ${className}`}
        >
          {choices.map(({ value, label: text }) => (
            <option key={value} value={value}>
              {text}
            </option>
          ))}
        </select>
      )}
    </Frame>
  );
}

export function CheckField({
  label,
  hint,
  checked,
  onCheck,
  disabled,
}: {
  readonly label: ReactNode;
  readonly hint?: ReactNode;
  readonly checked: boolean;
  readonly onCheck: (checked: boolean) => void;
  readonly disabled?: boolean;
}) {
  const id = useId();
  return (
    <div className="flex gap-2">
      <input
        id={id}
        type="checkbox"
        checked={checked}
        disabled={disabled}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={(event) => onCheck(event.target.checked)}
        className="mt-1 size-4 shrink-0 accent-accent"
      />
      <div className="min-w-0">
        <label htmlFor={id} className="wrap-anywhere">
          {label}
        </label>
        {hint !== undefined && (
          <p id={`${id}-hint`} className="text-sm text-muted">
            {hint}
          </p>
        )}
      </div>
    </div>
  );
}
