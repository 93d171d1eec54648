import type { Metadata } from "next";
import { getTranslations } from "next-intl/server";
import { TaskList } from "../_components/tasks/task-list.tsx";
import { mustBeSignedIn } from "../_server/page-asker.ts";

export async function generateMetadata(): Promise<Metadata> {
  const t = await getTranslations("pages");
  return { title: t("tasks") };
}

/** All live tasks. */
export default async function TasksPage() {
  await mustBeSignedIn();
  return <TaskList />;
}
