"use client";

import { Menu } from "@base-ui/react/menu";
import { Columns3 } from "lucide-react";
import { useTranslations } from "next-intl";
import { Icon } from "../icons.tsx";
import { COLUMNS, type Column, columnsText } from "./columns.ts";
import { type Density, DENSITIES } from "./density.ts";
import { PAGE_SIZES } from "./list-view.ts";
import { MENU_ITEM, MenuPopup } from "./menu-parts.tsx";

/** Which columns, how dense, how many rows. */
export function ColumnsMenu(props: {
  columns: readonly Column[];
  choose: (columns: string | null) => void;
  density: Density;
  chooseDensity: (density: Density) => void;
  limit: string;
  chooseLimit: (limit: string) => void;
}) {
  const t = useTranslations("tasks");
  const names = useTranslations("taskColumn");
  const densities = useTranslations("taskDensity");
  const toggle = (column: Column) => {
    const next = props.columns.includes(column)
      ? props.columns.filter((one) => one !== column)
      : [...props.columns, column];
    props.choose(columnsText(next));
  };
  return (
    <Menu.Root>
      <Menu.Trigger className="button min-h-8">
        <Columns3 aria-hidden="true" className="size-3.5" />
        {t("display")}
      </Menu.Trigger>
      <MenuPopup>
        <Menu.Group>
          <Menu.GroupLabel className="px-2 pt-1 text-xs text-ink-3">{t("columns")}</Menu.GroupLabel>
          {COLUMNS.filter((column) => column !== "bizKey").map((column) => (
            <Menu.CheckboxItem
              key={column}
              className={MENU_ITEM}
              checked={props.columns.includes(column)}
              onCheckedChange={() => toggle(column)}
              closeOnClick={false}
            >
              <Tick />
              {names(`${column}`)}
            </Menu.CheckboxItem>
          ))}
        </Menu.Group>
        <Menu.Separator className="my-1 h-px bg-line" />
        <Menu.Group>
          <Menu.GroupLabel className="px-2 pt-1 text-xs text-ink-3">{t("density")}</Menu.GroupLabel>
          <Menu.RadioGroup value={props.density} onValueChange={(value) => props.chooseDensity(value as Density)}>
            {DENSITIES.map((density) => (
              <Menu.RadioItem key={density} value={density} className={MENU_ITEM}>
                <RadioTick />
                {densities(`${density}`)}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </Menu.Group>
        <Menu.Separator className="my-1 h-px bg-line" />
        <Menu.Group>
          <Menu.GroupLabel className="px-2 pt-1 text-xs text-ink-3">{t("pageSize")}</Menu.GroupLabel>
          <Menu.RadioGroup value={props.limit} onValueChange={(value) => props.chooseLimit(String(value))}>
            {PAGE_SIZES.map((size) => (
              <Menu.RadioItem key={size} value={size} className={MENU_ITEM}>
                <RadioTick />
                {size}
              </Menu.RadioItem>
            ))}
          </Menu.RadioGroup>
        </Menu.Group>
      </MenuPopup>
    </Menu.Root>
  );
}

function Tick() {
  return (
    <span className="grid size-4 place-items-center">
      <Menu.CheckboxItemIndicator>
        <Icon name="check" />
      </Menu.CheckboxItemIndicator>
    </span>
  );
}

function RadioTick() {
  return (
    <span className="grid size-4 place-items-center">
      <Menu.RadioItemIndicator>
        <Icon name="check" />
      </Menu.RadioItemIndicator>
    </span>
  );
}
